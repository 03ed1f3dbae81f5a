// What the page shows where the program is not running. Nothing else is kept here: what the program gives is asked of it each time.
const shell = 'shell';
const files = ['/offline.html', '/style.css', '/parts.css', '/icon.svg', '/js/offline.js'];

self.addEventListener('install', (event) => {
  // What goes on elsewhere does not come this way where the browser can be told so.
  event.addRoutes?.([{ condition: { urlPattern: new URLPattern({ pathname: '/api/*' }) }, source: 'network' }]);
  event.waitUntil(caches.open(shell).then((kept) => kept.addAll(files)).then(() => self.skipWaiting()));
});
self.addEventListener('activate', (event) => event.waitUntil(Promise.all([self.registration.navigationPreload?.enable(), self.clients.claim()])));

async function page(event) {
  // Only where nobody answers: what the program says, also that something is wrong, is shown as it is.
  try { return (await event.preloadResponse) ?? await fetch(event.request); } catch { return caches.match('/offline.html'); }
}

async function part(request, path) {
  try {
    const answer = await fetch(request);
    if (answer.ok) await (await caches.open(shell)).put(path, answer.clone());
    return answer;
  } catch (failure) {
    const kept = await caches.match(path);
    if (!kept) throw failure;
    return kept;
  }
}

self.addEventListener('fetch', (event) => {
  const { pathname } = new URL(event.request.url);
  if (event.request.mode === 'navigate') event.respondWith(page(event));
  else if (event.request.method === 'GET' && files.includes(pathname)) event.respondWith(part(event.request, pathname));
});
