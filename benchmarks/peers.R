# What exactRankTests or coin gives for a problem that benchmarks/peer_tests.py writes.
#
#   Rscript peers.R PACKAGE mean|ranks FILE.csv
#
# The file has the columns a and b. Prints the p-value (NA after an error) and the seconds of the processor.

arguments <- commandArgs(trailingOnly = TRUE)
package <- arguments[1]
kind <- arguments[2]
suppressWarnings(suppressMessages(library(package, character.only = TRUE)))
x <- read.csv(arguments[3])

blocked <- function(x) {
  n <- nrow(x)
  data.frame(y = c(x$a, x$b), system = factor(rep(c("a", "b"), each = n)), item = factor(rep(seq_len(n), 2)))
}

tests <- list(
  exactRankTests = list(
    mean = function() perm.test(x$a, x$b, paired = TRUE, exact = TRUE)$p.value,
    ranks = function() wilcox.exact(x$a, x$b, paired = TRUE, exact = TRUE)$p.value
  ),
  coin = list(
    mean = function() pvalue(symmetry_test(y ~ system | item, data = blocked(x), distribution = "exact")),
    ranks = function() pvalue(wilcoxsign_test(a ~ b, data = x, distribution = "exact", zero.method = "Wilcoxon"))
  )
)

seconds <- function() sum(proc.time()[c("user.self", "sys.self")])
start <- seconds()
p <- suppressWarnings(tryCatch(as.numeric(tests[[package]][[kind]]()), error = function(e) {
  message(conditionMessage(e))
  NA
}))
cat(format(p, digits = 17), seconds() - start, "\n")
