// Before anything is painted: theme and language as this browser has them, and whether this is the address of the start page, whose
// title and composer then stand in the page already (index.html).
{
  const page = document.documentElement;
  const theme = localStorage.getItem('theme');
  if (theme) page.dataset.theme = theme;
  // Chosen in Settings where there is a table for it, else the first of the browser's.
  page.lang = [localStorage.getItem('language'), ...navigator.languages ?? []].map((one) => one?.toLowerCase().split('-')[0]).find((one) => ['en', 'de', 'fr'].includes(one)) ?? 'en';
  if (/^(#\/?(new)?|#key=.*)?$/.test(location.hash)) page.dataset.at = 'start';
}
