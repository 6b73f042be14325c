// The page draws and edits a transcript. What windows hold and what is late, Python says: see requests.py.
import { MODE } from './mode.js';
const LIMIT = 5000;
const $ = (id) => document.getElementById(id);
const make = (tag, text = '', properties = {}) => Object.assign(document.createElement(tag), { textContent: text }, properties);
const fill = (parent, ...children) => parent.replaceChildren(...children);

// ---- Python: in a worker that is ended after five seconds, or on this machine (`muntin explore`)
const pending = new Map();
let worker = null, started = null, number = 0;
function start() {
  if (MODE === 'local' || worker) return started;
  $('status').textContent = 'Python is starting.';
  worker = new Worker('worker.js', { type: 'module' });
  started = new Promise((resolve) => {
    worker.onmessage = ({ data }) => {
      if (data.ready) { $('status').textContent = 'The specification runs in this page.'; resolve(); }
      else if (data.failed) { $('status').textContent = data.failed; resolve(); }
      else { pending.get(data.id)?.(JSON.parse(data.text)); pending.delete(data.id); }
    };
  });
  return started;
}
async function ask(...words) {
  if (MODE === 'local') {
    try {
      const reply = await fetch('ask', { method: 'POST', body: JSON.stringify(words), signal: AbortSignal.timeout(LIMIT) });
      return await reply.json();
    } catch (error) { return { error: String(error) }; }
  }
  await start();
  return new Promise((resolve) => {
    const id = ++number;
    const timer = setTimeout(() => {
      worker.terminate(); worker = null; pending.clear();
      resolve({ error: 'This took more than five seconds, so it was ended.' });
    }, LIMIT);
    pending.set(id, (answer) => { clearTimeout(timer); resolve(answer); });
    worker.postMessage({ id, words });
  });
}

// ---- the transcript
const EXAMPLE = { muntin: 1, allowed_lateness: 5, queries: [{ id: 'tens', window: { type: 'tumbling', size: 10 }, aggregate: 'sum' }],
  steps: [{ events: [{ t: 12, v: 1 }, { t: 7, v: 2 }], watermark: 20 }, { events: [{ t: 18, v: 4 }] }, { events: [{ t: 3, v: 8 }] }] };
let trace = structuredClone(EXAMPLE), shown = trace.steps.length, forms = null, answer = null, picture = '', busy = false, again = false;
const text = (over = {}) => JSON.stringify({ ...trace, ...over });
const places = () => trace.steps.slice(0, shown).flatMap((step, at) => (step.events || []).map((event, index) => ({ event, at, index })));

async function changed() {
  if (busy) { again = true; return; }
  busy = true;
  do {
    again = false;
    await formed();
    const reply = await ask('show', text({ steps: trace.steps.slice(0, shown), expect: undefined, late: undefined }));
    $('error').textContent = reply.error || '';
    if (!reply.error) { answer = reply; draw(); }
  } while (again);
  busy = false;
  document.body.dataset.answered = String(Number(document.body.dataset.answered || 0) + 1);
}
async function formed() {
  if (!forms) { forms = await ask('forms'); fields(); }
}
function draw() {
  URL.revokeObjectURL(picture);
  picture = URL.createObjectURL(new Blob([answer.svg], { type: 'image/svg+xml' }));
  $('picture').src = picture;
  const [left, top, width, height] = answer.frame;
  fill($('handles'), ...places().map(({ event, at, index }, nth) => {
    const [x, y] = answer.marks[nth];
    const handle = make('button', '', { title: `event at ${event.t}, step ${at}` });
    handle.ariaLabel = `event at ${event.t}, step ${at}: arrow keys move it, Delete removes it`;
    handle.style.left = `${100 * (x - left) / width}%`;
    handle.style.top = `${100 * (y - top) / height}%`;
    handle.onkeydown = (key) => pressed(key, at, index, nth);
    handle.onpointerdown = (press) => { press.preventDefault(); handle.focus(); drag(handle, at, index); };
    return handle;
  }));
  fill($('rows'), ...answer.steps.flatMap((step, at) => step.rows.map((row) => make('li', `step ${at}: ${JSON.stringify(row)}`))));
  fill($('remarks'), ...[...answer.remarks, ...(answer.refusal ? [answer.refusal] : [])].map((remark) => make('li', remark)));
  fill($('watermarks'), ...trace.steps.map((step, at) => {
    const input = make('input', '', { value: step.watermark ?? '', size: 6 });
    input.onchange = () => { const value = input.value.trim(); if (value === '') delete step.watermark; else step.watermark = value === 'end' ? 'end' : Number(value); changed(); };
    const label = make('label', `watermark of step ${at} `); label.append(input); return label;
  }));
  Object.assign($('shown'), { max: trace.steps.length, value: shown });
  $('text').value = JSON.stringify(trace, null, 1);
  $('answer').value = answer.steps.flatMap((step) => step.rows.filter((row) => !row.late).map((row) => JSON.stringify(row))).join('\n');
  history.replaceState(null, '', `#${answer.fragment}`);
}
function move(at, index, time, to) {
  const step = trace.steps[at], [event] = step.events.splice(index, 1);
  event.t = time;
  if (to === at) step.events.splice(index, 0, event); else (trace.steps[to].events ||= []).push(event);
  changed();
}
function pressed(key, at, index, nth) {
  const event = trace.steps[at].events[index], far = key.shiftKey ? 10 : 1;
  const moves = { ArrowLeft: [-far, 0], ArrowRight: [far, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  if (key.key === 'Delete') { trace.steps[at].events.splice(index, 1); changed(); }
  else if (moves[key.key]) {
    const [across, down] = moves[key.key], to = Math.min(Math.max(at + down, 0), shown - 1);
    move(at, index, event.t + across, to);
  } else return;
  key.preventDefault();
  const answered = document.body.dataset.answered;
  const wait = setInterval(() => { if (document.body.dataset.answered !== answered) { clearInterval(wait); $('handles').children[Math.min(nth, $('handles').children.length - 1)]?.focus(); } }, 10);
}
function drag(handle, at, index) {
  const [left, top, width, height] = answer.frame, { low, high, width: axis } = answer.axis, { tops } = answer;
  const box = $('picture').getBoundingClientRect();
  const place = (event) => ({ x: left + (event.clientX - box.left) * width / box.width, y: top + (event.clientY - box.top) * height / box.height });
  const follow = (event) => { handle.style.left = `${100 * (event.clientX - box.left) / box.width}%`; handle.style.top = `${100 * (event.clientY - box.top) / box.height}%`; };
  const drop = (event) => {
    removeEventListener('pointermove', follow); removeEventListener('pointerup', drop);
    const { x, y } = place(event), to = Math.max(0, tops.filter((line) => line - 14 <= y).length - 1);
    move(at, index, Math.round(low + x * (high - low) / axis), Math.min(to, shown - 1));
  };
  addEventListener('pointermove', follow); addEventListener('pointerup', drop);
}

// ---- forms, made from the schema of transcripts
function chooser(name, values, value, change) {
  const select = make('select');
  fill(select, ...values.map((each) => make('option', String(each), { value: String(each) })));
  select.value = String(value);
  select.onchange = () => change(values.find((each) => String(each) === select.value));
  const label = make('label', `${name} `); label.append(select); return label;
}
function entry(name, value, least, change) {
  const input = make('input', '', { type: 'number', value, ...(least === undefined ? {} : { min: least }) });
  input.onchange = () => { change(Number(input.value)); };
  const label = make('label', `${name} `); label.append(input); return label;
}
function fields() {
  const { $defs: kinds } = forms.schema, query = trace.queries[0], types = kinds.window.oneOf;
  const named = (type) => types.find((each) => each.properties.type.const === type);
  const fresh = (type) => Object.fromEntries([['type', type], ...named(type).required.filter((name) => name !== 'type').map((name) => [name, 10])]);
  const numbers = Object.entries(named(query.window.type)?.properties || {}).filter(([, form]) => form.type === 'integer');
  const modes = kinds.operator_transcript.properties.output.enum, refresh = () => { fields(); changed(); };
  fill($('form'),
    chooser('window', types.map((each) => each.properties.type.const).filter(Boolean), query.window.type, (type) => { query.window = fresh(type); refresh(); }),
    ...numbers.map(([name, form]) => entry(name, query.window[name] ?? '', form.minimum, (value) => { query.window[name] = value; changed(); })),
    chooser('aggregate', kinds.aggregate.oneOf[0].enum, query.aggregate, (name) => { query.aggregate = name; changed(); }),
    entry('allowed lateness', trace.allowed_lateness ?? 0, 0, (value) => { trace.allowed_lateness = value; changed(); }),
    chooser('output', modes, trace.output ?? modes[0], (mode) => { trace.output = mode; changed(); }),
    chooser('as', ['', ...Object.keys(forms.engines)], '', (name) => { if (name) Object.assign(trace, forms.engines[name]); refresh(); }));
  const decisions = Object.entries(kinds.dialect.properties).map(([name, form]) => [name, form.enum || form.oneOf[0].enum]);
  fill($('dialect'), ...decisions.map(([name, values]) => chooser(name, values, trace.dialect?.[name] ?? values[0], (value) => {
    trace.dialect = { ...trace.dialect, [name]: value }; refresh();
  })));
  $('departures').textContent = trace.dialect && Object.keys(trace.dialect).length ? JSON.stringify(trace.dialect) : '';
  fill($('structure'), ...forms.structures.map((name) => make('option', name, { value: name })));
}

// ---- the other tabs
async function compare() {
  const reply = await ask('compare', text({ expect: undefined, late: undefined }));
  if (reply.error) { $('error').textContent = reply.error; return; }
  const head = make('tr'); fill(head, ...['as', 'evidence', 'emits', 'differs by'].map((name) => make('th', name)));
  const table = make('table'); table.append(head, ...reply.engines.map((engine) => {
    const row = make('tr', '', { className: engine.differs ? 'differs' : '' }), rows = make('ul'), cell = make('td');
    fill(rows, ...engine.rows.map((line) => make('li', line))); cell.append(rows);
    fill(row, make('td', engine.name), make('td', engine.evidence), cell, make('td', engine.why || '')); return row;
  }));
  fill($('compared'), table);
}
async function find() {
  let expect;
  try { expect = $('answer').value.split('\n').filter((line) => line.trim()).map((line) => JSON.parse(line)); } catch (error) { fill($('explained'), make('li', String(error))); return; }
  const reply = await ask('rules', text({ expect, dialect: undefined }));
  const lines = reply.error ? [reply.error] : [
    `${reply.tried} dialects tried; ${reply.explained ? 'these give the answer' : 'none gives it: perhaps a fault. The nearest'}:`,
    ...reply.candidates.map((each) => each.text + (each.unexplained ? `, which leaves ${each.unexplained} rows unexplained` : '')),
    ...(reply.engines.length ? [`as ${reply.engines.join(', ')}`] : []),
    ...(reply.continuation.length ? [`they differ after ${JSON.stringify(reply.continuation)}`] : [])];
  fill($('explained'), ...lines.map((line) => make('li', line)));
}
let frames = [], film = '';
function still() {
  const frame = frames[$('frame').value]; if (!frame) return;
  URL.revokeObjectURL(film); film = URL.createObjectURL(new Blob([frame.svg], { type: 'image/svg+xml' }));
  $('film').src = film; $('call').textContent = frame.title;
}
async function run() {
  await formed();
  const reply = await ask('structure', $('calls').value, $('structure').value || 'fiba');
  $('error').textContent = reply.error || ''; if (reply.error) return;
  frames = reply.frames; Object.assign($('frame'), { max: frames.length - 1, value: frames.length - 1 }); still();
}
const tabs = [...document.querySelectorAll('[role=tab]')];
for (const tab of tabs) {
  tab.onclick = () => {
    for (const other of tabs) { other.ariaSelected = String(other === tab); $(other.getAttribute('aria-controls')).hidden = other !== tab; }
    $('query').hidden = tab.id === 'tab-structures';
    if (tab.id === 'tab-engines') compare(); if (tab.id === 'tab-structures') run();
  };
  tab.onkeydown = ({ key }) => { const by = { ArrowLeft: -1, ArrowRight: 1 }[key]; if (by) tabs.at((tabs.indexOf(tab) + by) % tabs.length).focus(); };
}

// ---- buttons and links
const copy = async (words, what) => { try { await navigator.clipboard.writeText(words); $('copied').textContent = `${what} copied`; } catch { $('copied').textContent = words; } };
$('shown').oninput = () => { shown = Number($('shown').value); changed(); };
$('add').onclick = () => { const step = trace.steps[shown - 1], last = places().at(-1)?.event; (step.events ||= []).push({ ...(last || { v: 1 }), t: (last?.t ?? 0) + 1 }); changed(); };
$('more').onclick = () => { trace.steps.push({}); shown = trace.steps.length; changed(); };
$('less').onclick = () => { if (trace.steps.length > 1) { trace.steps.pop(); shown = Math.min(shown, trace.steps.length); changed(); } };
$('link').onclick = () => copy(location.href, 'link');
$('command').onclick = () => copy('muntin replay trace.json --check --with all', 'command');
const exported = async () => (await ask('export', text({ expect: undefined, late: undefined }))).transcript;
$('test').onclick = async () => copy(await exported(), 'test');
$('export').onclick = async () => { make('a', '', { href: URL.createObjectURL(new Blob([await exported()], { type: 'application/json' })), download: 'trace.json' }).click(); };
$('use').onclick = () => { try { use($('text').value); } catch (error) { $('error').textContent = String(error); } };
$('find').onclick = find; $('frame').oninput = still; $('run').onclick = run; $('structure').onchange = run;
function use(source) { trace = JSON.parse(source); shown = trace.steps.length; if (forms) fields(); changed(); }
async function linked() {
  const reply = await ask('open_link', location.hash);
  if (reply.error) { $('error').textContent = reply.error; return; }
  use(reply.text);
}
if (location.hash.length > 1) linked();
else if (MODE === 'local') changed();
else for (const touch of ['pointerdown', 'keydown']) addEventListener(touch, () => { if (!answer) changed(); }, { once: true });
