'use strict';

(() => {
  const comparisons = JSON.parse(document.getElementById('data').textContent);
  const panel = document.getElementById('panel');
  const SVG = 'http://www.w3.org/2000/svg';

  // -- making elements: text is always set as text ------------------------------------------------------------

  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
  const draw = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
  const named = (text) => make('bdi', {}, text);
  /** A name where there is little room. */
  const brief = (text) => named([...text].length > 28 ? `${[...text].slice(0, 27).join('')}…` : text);

  function say(text) {
    document.getElementById('said').textContent = text;
  }

  // -- numbers ------------------------------------------------------------------------------------------------

  function shown(value, digits = 4) {
    if (value === null) return 'unbounded';
    if (typeof value !== 'number') return String(value);
    if (value === 0) return '0';
    const text = Math.abs(value) < 1e-4 || Math.abs(value) >= 1e7 ? value.toExponential(digits - 1)
      : String(Number(value.toPrecision(digits)));
    return text.replace('-', '−');
  }

  const signed = (value, digits) => (value > 0 ? '+' : '') + shown(value, digits);

  function ticks(low, high, count) {
    const rough = (high - low) / count;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((x) => x * power).find((x) => x >= rough);
    const first = Math.ceil(low / step);
    return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => (first + i) * step);
  }

  // -- the null distribution ----------------------------------------------------------------------------------

  /** The stretches of the axis that are at least as extreme as what was observed. */
  function extremes(pair, tail) {
    const slack = pair.null.points ? pair.null.width * 0.499 : 0; // a hair less than half, so that no neighbour is touched
    const size = tail === 'both' ? Math.abs(pair.difference) : pair.difference;
    const upper = [size - slack, Infinity];
    const lower = [-Infinity, (tail === 'both' ? -size : size) + slack];
    return { both: [upper, lower], upper: [upper], lower: [lower] }[tail];
  }

  function overlap([low, high], [from, to]) {
    const ends = [Math.max(low, from), Math.min(high, to)];
    return ends[0] < ends[1] ? ends : null;
  }

  function domain(pair, tail) {
    const { start, width, bars } = pair.null;
    const seen = tail === 'both' ? [pair.difference, -pair.difference] : [pair.difference];
    const low = Math.min(start, ...seen);
    const high = Math.max(start + width * bars.length, ...seen);
    const margin = (high - low) * 0.03;
    return [low - margin, high + margin];
  }

  function chart(pair, comparison, size) {
    const [low, high] = domain(pair, comparison.tail);
    const height = 210;
    const top = 30;
    const base = height - 26;
    const x = (value) => ((value - low) / (high - low)) * size;
    const svg = draw('svg', { viewBox: `0 0 ${size} ${height}`, role: 'img', 'aria-label': described(pair) });
    svg.append(...beyond(pair, comparison.tail, [low, high], x, top, base), ...massBars(pair, comparison.tail, x, top, base), draw('path', { class: 'axis', d: `M0 ${base}H${size}` }));
    for (const value of ticks(low, high, Math.max(5, size / 90))) svg.append(...tick(value, x(value), base, size));
    if (comparison.tail === 'both') svg.append(marker(x(-pair.difference), top, base, 'mirror'));
    svg.append(marker(x(pair.difference), top, base, 'seen'), observedLabel(pair, x(pair.difference), size, top));
    return svg;
  }

  function beyond(pair, tail, ends, x, top, base) {
    const parts = extremes(pair, tail).map((stretch) => overlap(ends, stretch)).filter(Boolean);
    return parts.map(([from, to]) => draw('rect', {
      class: 'beyond', x: x(from), width: x(to) - x(from), y: top - 8, height: base - top + 8,
    }));
  }

  function massBars(pair, tail, x, top, base) {
    const { start, width, bars } = pair.null;
    const most = Math.max(...bars);
    const gap = x(width) - x(0) > 4 ? 0.5 : 0;
    return bars.flatMap((mass, i) => {
      const ends = [start + i * width, start + (i + 1) * width];
      const tall = (mass / most) * (base - top);
      const column = ([from, to], kind) => draw('rect', {
        class: kind, x: x(from) + gap, width: Math.max(x(to) - x(from) - 2 * gap, 0.1), y: base - tall, height: tall,
      });
      if (!mass) return [];
      const inside = extremes(pair, tail).map((stretch) => overlap(ends, stretch)).filter(Boolean);
      return [column(ends, 'mass'), ...inside.map((part) => column(part, 'extreme'))];
    });
  }

  function tick(value, place, base, size) {
    const anchor = place < 20 ? 'start' : place > size - 20 ? 'end' : 'middle';
    return [
      draw('path', { class: 'axis', d: `M${place} ${base}v5` }),
      draw('text', { x: place, y: base + 19, 'text-anchor': anchor }, shown(value)),
    ];
  }

  const marker = (place, top, base, kind) => draw('path', { class: kind, d: `M${place} ${top - 8}V${base}` });

  function observedLabel(pair, place, size, top) {
    const end = place > size / 2;
    const attributes = { class: 'seen-label', x: place + (end ? -6 : 6), y: top - 12, 'text-anchor': end ? 'end' : 'start' };
    return draw('text', attributes, `observed ${signed(pair.difference)}`);
  }

  const described = (pair) => `Null distribution of the difference; observed ${signed(pair.difference)}, p = ${pair.p}`;

  function caption(pair) {
    const how = pair.null.drawn
      ? `Drawn from ${pair.null.drawn.toLocaleString('en')} random exchanges, for this picture only; the p-value does not come from it.`
      : 'The law of the difference under the null hypothesis, computed and not sampled.';
    return `${how} Coloured: at least as extreme as observed.`;
  }

  function nullFigure(pair, comparison, level, size) {
    const figure = make('figure', { class: 'chart' }, make(`h${level}`, {}, 'What exchange at random would give'));
    if (typeof pair.null === 'string') {
      figure.append(make('p', {}, pair.null));
    } else {
      figure.append(chart(pair, comparison, size), make('figcaption', {}, caption(pair)));
    }
    return figure;
  }

  // -- the panel of a pair ------------------------------------------------------------------------------------

  function tile(title, value, remark) {
    return make('div', {}, make('dt', {}, ...title), make('dd', {}, value, ...(remark ? [make('small', {}, remark)] : [])));
  }

  function intervalTile(pair) {
    if (typeof pair.interval === 'string') return tile(['95 % interval'], '–', pair.interval);
    const { low, high, method } = pair.interval;
    const words = method === 'inversion' ? 'inversion of the exact test' : `bootstrap, ${method}`;
    return tile(['95 % interval'], `${low === null ? '−∞' : signed(low)} to ${high === null ? '∞' : signed(high)}`, words);
  }

  function tiles(pair, [a, b]) {
    const known = pair.exact ? 'exact' : `between ${pair.bounds.join(' and ')}`;
    const scores = pair.scores[0] === null ? '' : `${shown(pair.scores[0])} and ${shown(pair.scores[1])}`;
    const list = [
      tile([brief(a), ' minus ', brief(b)], signed(pair.difference), scores),
      intervalTile(pair),
      tile(['p-value'], pair.p, `${known}, ${pair.method}`),
    ];
    if (pair.adjusted !== null) list.push(tile(['adjusted p-value'], pair.adjusted, `outcome: ${pair.outcome}`));
    return make('dl', { class: 'tiles' }, ...list);
  }

  function record(pair, [name], level) {
    if (pair.record === null) return [];
    const [won, lost, tied] = pair.record;
    const all = won + lost + tied;
    const words = `${won} won, ${lost} lost, ${tied} tied`;
    const bar = draw('svg', { class: 'record', viewBox: `0 0 ${all} 1`, preserveAspectRatio: 'none', role: 'img', 'aria-label': words });
    let start = 0;
    for (const [kind, number] of [['won', won], ['tied', tied], ['lost', lost]]) {
      bar.append(draw('rect', { class: kind, x: start, y: 0, width: number, height: 1 }));
      start += number;
    }
    const title = pair.grouped ? 'Groups' : 'Items';
    return [make(`h${level}`, {}, `${title} by who is ahead`), bar, make('p', { class: 'note' }, `${words} by `, brief(name), '.')];
  }

  /** The one number of an item, or those of its sums that tell the systems apart. */
  function sums(values, others, names) {
    if (!names.length) return shown(values[0], 6);
    return names.map((name, i) => (values[i] === others[i] ? '' : `${name} ${shown(values[i])}`)).filter(Boolean).join(', ');
  }

  function itemRow([label, a, b, weight], names) {
    const side = names.length ? {} : { class: 'number' };
    return make('tr', {},
      make('th', { scope: 'row' }, named(label)),
      make('td', side, sums(a, b, names)), make('td', side, sums(b, a, names)),
      make('td', { class: 'number' }, signed(weight)));
  }

  function items(pair, comparison, [a, b], level) {
    if (!pair.items.length) return [];
    const names = comparison.sums;
    const what = pair.grouped ? 'Groups' : 'Items';
    const last = names.length ? 'moves the difference by' : pair.grouped ? 'difference per item' : 'difference';
    const title = `${what} that ${names.length ? 'would move the difference most, if exchanged' : 'differ most'}`;
    const number = names.length ? {} : { class: 'number' };
    const head = make('tr', {}, make('th', { scope: 'col' }, pair.grouped ? 'group' : 'item'),
      make('th', { scope: 'col', ...number }, brief(a)), make('th', { scope: 'col', ...number }, brief(b)),
      make('th', { scope: 'col', class: 'number' }, last));
    const rows = pair.items.map((item) => itemRow(item, names));
    const table = make('table', { class: 'items' }, make('thead', {}, head), make('tbody', {}, ...rows));
    const region = { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': title };
    return [make(`h${level}`, {}, title), make('div', region, table)];
  }

  function repeatLine(pair, level) {
    const line = make('pre', { class: 'wrap' }, pair.signature);
    const button = make('button', { type: 'button' }, 'Copy signature');
    button.addEventListener('click', () => copy(pair.signature));
    return [make(`h${level}`, {}, 'Repeat this test'), line, button];
  }

  function contents(pair, comparison, level, size) {
    const systems = systemsOf(pair, comparison);
    return [tiles(pair, systems), nullFigure(pair, comparison, level, size), ...record(pair, systems, level),
      ...items(pair, comparison, systems, level), ...repeatLine(pair, level)];
  }

  const systemsOf = (pair, comparison) => [pair.a, pair.b].map((i) => comparison.systems[i]);

  function heading(pair, comparison) {
    const [a, b] = systemsOf(pair, comparison).map(named);
    return make('h2', { id: 'panel-title' }, a, make('span', { class: 'versus' }, ' against '), b);
  }

  function open(pair, comparison) {
    const close = make('button', { type: 'button', autofocus: '' }, 'Close');
    close.addEventListener('click', () => panel.close());
    const body = panel.querySelector('.panel-body');
    body.replaceChildren(make('div', { class: 'panel-head' }, heading(pair, comparison), close));
    panel.showModal();
    body.append(make('p', {}, pair.verdict), ...contents(pair, comparison, 3, body.clientWidth - 48));
    panel.scrollTop = 0;
  }

  panel.addEventListener('click', (event) => {
    if (event.target === panel) panel.close();
  });

  // -- the same pair, seen from its other system --------------------------------------------------------------

  const OPPOSITE = { better: 'worse', worse: 'better' };
  const minus = (value) => (value === null ? null : -value);

  function turnedInterval(interval) {
    return typeof interval === 'string' ? interval : { ...interval, low: minus(interval.high), high: minus(interval.low) };
  }

  function turnedNull(law) {
    return typeof law === 'string' ? law : { ...law, start: -(law.start + law.width * law.bars.length), bars: [...law.bars].reverse() };
  }

  /** For tests on both sides, which do not depend on the order of the two. */
  function turned(pair) {
    const record = pair.record && [pair.record[1], pair.record[0], pair.record[2]];
    return {
      ...pair, record, a: pair.b, b: pair.a, difference: minus(pair.difference), scores: [...pair.scores].reverse(),
      outcome: OPPOSITE[pair.outcome] ?? pair.outcome, interval: turnedInterval(pair.interval), null: turnedNull(pair.null),
      items: pair.items.map(([label, a, b, weight]) => [label, b, a, minus(weight)]),
    };
  }

  function seenFrom(system, pair, comparison) {
    return comparison.tail === 'both' && pair.a !== system ? turned(pair) : pair;
  }

  // -- what opens it ------------------------------------------------------------------------------------------

  function opener(words, pair, comparison, attributes) {
    const button = make('button', { type: 'button', 'aria-haspopup': 'dialog', ...attributes }, ...words);
    button.addEventListener('click', () => open(pair, comparison));
    return button;
  }

  function equipMatrix(table) {
    const comparison = comparisons[table.dataset.comparison];
    for (const row of table.tBodies[0].rows) {
      for (const cell of row.querySelectorAll('[data-pair]')) {
        const pair = seenFrom(row.rowIndex - 1, comparison.pairs[cell.dataset.pair], comparison);
        const label = `${comparison.systems[row.rowIndex - 1]} against ${comparison.systems[cell.cellIndex - 1]}: `;
        const outcome = cell.querySelector('.unseen').textContent.split(',')[0];
        const words = `${label}${outcome}, p ${pair.adjusted ?? pair.p}`;
        cell.replaceChildren(opener([...cell.childNodes], pair, comparison, { tabindex: -1, 'aria-label': words, title: words }));
      }
    }
    table.querySelector('.cell button').tabIndex = 0;
    table.addEventListener('keydown', (event) => steer(event, table));
  }

  const STEPS = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };

  /** Arrow keys move between cells, so that the whole matrix is one stop of the tabulator. */
  function steer(event, table) {
    const step = STEPS[event.key];
    if (!step || !event.target.matches('.cell button')) return;
    event.preventDefault();
    let { rowIndex } = event.target.closest('tr');
    let { cellIndex } = event.target.closest('td');
    do {
      rowIndex += step[0];
      cellIndex += step[1];
    } while (table.rows[rowIndex]?.cells[cellIndex]?.matches('.self'));
    const next = table.rows[rowIndex]?.cells[cellIndex]?.querySelector('button');
    if (next) move(event.target, next);
  }

  function move(from, to) {
    from.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  }

  function equipRow(cell) {
    const section = cell.closest('.comparison');
    const comparison = comparisons[[...document.querySelectorAll('.comparison')].indexOf(section)];
    cell.replaceChildren(opener([...cell.childNodes], comparison.pairs[cell.dataset.open], comparison, { class: 'open-pair' }));
  }

  function equipInline(place) {
    const comparison = comparisons[place.dataset.comparison];
    const level = comparisons.length > 1 ? 4 : 3;
    place.append(...contents(comparison.pairs[0], comparison, level, place.clientWidth - 48));
  }

  // -- sorting ------------------------------------------------------------------------------------------------

  function valueOf(row, column, kind) {
    const cell = row.cells[column];
    const text = cell.dataset.value ?? cell.textContent.trim();
    return kind === 'number' && text !== '' ? Number(text) : text;
  }

  function compareValues(a, b) {
    if (a === '' || b === '') return (a === '') - (b === ''); // what is missing comes last
    return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
  }

  function sortBy(title) {
    const table = title.closest('table');
    const direction = title.getAttribute('aria-sort') === 'ascending' ? 'descending' : 'ascending';
    for (const other of table.querySelectorAll('th[aria-sort]')) other.removeAttribute('aria-sort');
    title.setAttribute('aria-sort', direction);
    const sign = direction === 'ascending' ? 1 : -1;
    const keyed = [...table.tBodies[0].rows].map((row) => ({ row, key: valueOf(row, title.cellIndex, title.dataset.kind) }));
    const last = ({ key }) => key === '';
    keyed.sort((a, b) => (last(a) || last(b) ? 1 : sign) * compareValues(a.key, b.key));
    table.tBodies[0].append(...keyed.map(({ row }) => row));
    say(`Sorted by ${title.textContent}, ${direction}`);
  }

  function equipTitle(title) {
    const button = make('button', { type: 'button', class: 'sort' }, ...title.childNodes);
    button.addEventListener('click', () => sortBy(title));
    title.replaceChildren(button);
  }

  // -- copying ------------------------------------------------------------------------------------------------

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      say('Copied');
    } catch {
      say(copySelected(text) ? 'Copied' : 'The browser does not let this page copy');
    }
  }

  /** For browsers that keep the clipboard from files. */
  function copySelected(text) {
    const area = make('textarea', { class: 'unseen' });
    area.value = text;
    (panel.open ? panel : document.body).append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }

  function equipCopy(button) {
    const words = button.textContent;
    button.hidden = false;
    button.addEventListener('click', async () => {
      await copy(document.getElementById(button.dataset.copy).textContent);
      button.textContent = document.getElementById('said').textContent;
      setTimeout(() => { button.textContent = words; }, 1500);
    });
  }

  // -- printing: what is folded is unfolded -------------------------------------------------------------------

  let folded = [];
  addEventListener('beforeprint', () => {
    folded = [...document.querySelectorAll('details:not([open])')];
    for (const details of folded) details.open = true;
  });
  addEventListener('afterprint', () => {
    for (const details of folded) details.open = false;
  });

  document.querySelectorAll('.matrix').forEach(equipMatrix);
  document.querySelectorAll('[data-open]').forEach(equipRow);
  document.querySelectorAll('.inline').forEach(equipInline);
  document.querySelectorAll('.sortable thead th').forEach(equipTitle);
  document.querySelectorAll('[data-copy]').forEach(equipCopy);
})();
