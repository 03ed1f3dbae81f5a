// What stands where the program is not running: said in the words that the page has left here, and gone as soon as it answers again.
const theme = localStorage.getItem('theme');
if (theme) document.documentElement.dataset.theme = theme;

const kept = await (await caches.match('/offline-words'))?.json();
if (kept) {
  document.documentElement.lang = kept.language;
  const lines = kept.lines.map((text, place) => Object.assign(document.createElement(place ? 'p' : 'h1'), { textContent: text }));
  document.getElementById('said').replaceChildren(...lines);
}

async function look() {
  try { await fetch('/api', { cache: 'no-store' }); location.reload(); } catch { setTimeout(look, 1500); }
}
setTimeout(look, 1500);
