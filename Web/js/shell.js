// What is to be seen when the program is not running is kept in this browser, in the language of the page.
import { language, w } from './words.js';
import { workerAddress } from './dom.js';

export async function keepShell() {
  if (!navigator.serviceWorker || !globalThis.caches) return;
  await navigator.serviceWorker.register(workerAddress());
  const words = { language, lines: [w.notRunning, w.unreachableDo, w.notRunningGoesOn] };
  await (await caches.open('shell')).put('/offline-words', new Response(JSON.stringify(words), { headers: { 'Content-Type': 'application/json' } }));
}
