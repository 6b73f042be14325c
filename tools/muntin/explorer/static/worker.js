// The specification in a thread of its own, so that the page never waits and can end it.
import { loadPyodide } from './pyodide/pyodide.mjs';
const ready = (async () => {
  const bytes = fetch('./muntin.zip').then((reply) => reply.arrayBuffer());
  const python = await loadPyodide({ indexURL: new URL('./pyodide/', import.meta.url).href });
  python.unpackArchive(await bytes, 'zip', { extractDir: '/app' });
  python.runPython("import sys; sys.path.insert(0, '/app')");
  return python.pyimport('muntin.explorer.requests');
})();
ready.then(() => postMessage({ ready: true }), (error) => postMessage({ failed: String(error) }));
onmessage = async ({ data: { id, words } }) => {
  const requests = await ready;
  postMessage({ id, text: requests.respond(...words) });
};
