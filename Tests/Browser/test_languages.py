"""The page in English, German and French: no word is missing, none is left over, and none is cut off on a phone."""

import pathlib
import re
import tempfile

from selenium.webdriver.common.keys import Keys

import stage
from page import Page

WEB = stage.ROOT / "Web"
LANGUAGES = ("en", "de", "fr")
SCREENS = ("new", "library", "packs", "settings", "diagnostics", "data")

# The shape of a table: what stands where, and what kind of thing it is.
SHAPE = """
  const done = arguments[arguments.length - 1];
  import(`/words/${arguments[0]}.js`).then(({ default: make }) => {
    const found = {};
    const walk = (value, path) => {
      if (typeof value === 'function') found[path] = `function of ${value.length}`;
      else if (Array.isArray(value) && path.includes('roups')) found[path] = JSON.stringify(value.map((one) => one[1]));
      else if (value && typeof value === 'object') { if (Array.isArray(value)) found[path] = `list of ${value.length}`; for (const [key, inner] of Object.entries(value)) walk(inner, `${path}.${key}`); }
      else found[path] = typeof value === 'string' && (value.trim() || path === '') ? 'text' : `nothing: ${value}`;
    };
    for (const [key, value] of Object.entries(make({ many: (n, one, other) => other, number: String }))) walk(value, key);
    done(found);
  }, (failure) => done({ failure: String(failure) }));"""

# Words of ours that reach beyond what holds them.
CUT = """
  const own = [...document.querySelectorAll('button, .button, label, h1, h2, h3, legend, summary, .badge, th, dt, p, .strip .state span:last-child')];
  return own.filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.clientWidth > 2 && !one.closest('.quiet-voice') && !one.querySelector('.ellipsis') && !one.matches('.ellipsis')).flatMap((one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    const text = range.getBoundingClientRect(), box = one.getBoundingClientRect();
    const scrolls = one.closest('.log, pre, .finds, .table');
    return !scrolls && (text.right > box.right + 1 || text.left < box.left - 1 || box.right > innerWidth + 1) ? [`${one.localName}: ${one.innerText.slice(0, 60)}`] : [];
  })"""


class LanguagesTest(Page):
    def tearDown(self):
        self.driver.execute_script("localStorage.removeItem('language')")
        super().tearDown()

    def shape(self, language):
        found = self.driver.execute_async_script(SHAPE, language)
        self.assertNotIn("failure", found)
        return found

    def speak(self, language):
        self.driver.execute_script("localStorage.setItem('language', arguments[0])", language)
        self.driver.refresh()
        self.go("new")

    def test_a_slow_model_is_told_to_write_at_more_than_nothing(self):
        for language, told in (("en", ["0.4 tok/s", "writing 9.5 tok/s", "143 tok/s"]), ("de", ["0,4 Tok/s", "schreibt 9,5 Tok/s", "143 Tok/s"]),
                               ("fr", ["0,4 jetons/s", "écrit 9,5 jetons/s", "143 jetons/s"])):
            self.speak(language)
            self.assertEqual(self.driver.execute_async_script(
                "import('/js/words.js').then(({ w }) => arguments[0]([w.speed(0.42), w.writingAt(9.5), w.speed(143.2)]))"), told)

    def test_every_language_has_every_word_and_no_word_is_left_over(self):
        english = self.shape("en")
        self.assertEqual([path for path, kind in english.items() if kind.startswith("nothing")], [])
        for language in LANGUAGES[1:]:
            other = self.shape(language)
            self.assertEqual(sorted(set(english.items()) ^ set(other.items())), [], language)
            # The title stands in the page before its table is there.
            self.assertEqual(re.findall(f'<h1 lang="{language}">(.*?)</h1>', (WEB / "index.html").read_text()),
                             re.findall("startTitle: '(.*?)'", (WEB / f"words/{language}.js").read_text()))
        source = "\n".join(file.read_text() for file in (WEB / "js").iterdir())
        used = set(re.findall(r"\bw\.([A-Za-z]\w*)", source)) | {"library", "packs", "actions"}
        dynamic = {"library", "packs", "settings", "diagnostics", "data", "actions"}
        known = {path.split(".")[0] for path in english}
        self.assertEqual(sorted(used - known), [], "words that no table has")
        self.assertEqual(sorted(known - used - dynamic), [], "words that nobody says")

    def test_every_screen_in_every_language_fits_a_phone(self):
        for language in LANGUAGES:
            stage.size(self.driver, 360, 740)
            self.speak(language)
            self.assertEqual(self.driver.execute_script("return document.documentElement.lang"), language)
            for screen in SCREENS:
                with self.subTest(f"{language} {screen}"):
                    self.go(screen)
                    if screen == "new":
                        self.ask("When must the filter be changed?", until="/s")
                        self.ask("What is on the moon?", until={"en": "“What is on the moon?”", "de": "„What is on the moon?“", "fr": "«\u00a0What is on the moon?\u00a0»"}[language])
                        self.wait(lambda: not self.all(".made, .caret"))
                    if screen == "settings":
                        self.driver.execute_script("arguments[0].open = true", self.one(".curious"))
                    if screen == "diagnostics":
                        self.sees("Swift and engines")
                    self.assertEqual(self.driver.execute_script(CUT), [])
                    self.assertLessEqual(self.driver.execute_script("return document.documentElement.scrollWidth - innerWidth"), 0)
                    self.clean(f"{screen} in {language}")
                    self.shot(f"{screen}-{language}")
            self.driver.get(self.base + "#/d/c2")
            self.one(".marks .passage")
            self.assertEqual(self.driver.execute_script(CUT), [])
            self.shot(f"viewer-{language}")

    def test_the_browser_decides_unless_a_person_does(self):
        self.driver.execute_cdp_cmd("Network.setUserAgentOverride", {
            "userAgent": self.driver.execute_script("return navigator.userAgent"), "acceptLanguage": "nl,de-AT;q=0.8,en;q=0.5"})
        try:
            self.driver.refresh()
            self.sees("Fragen Sie Ihre eigenen Dokumente")
            self.go("settings")
            self.sees("Einstellungen", "h1")
            script = "const s = document.querySelector('#set-language'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))"
            self.driver.execute_script(script, "fr")
            self.sees("Réglages", "h1")
            self.driver.execute_script(script, "")
            self.sees("Einstellungen", "h1")
        finally:
            self.driver.execute_cdp_cmd("Network.setUserAgentOverride", {
                "userAgent": self.driver.execute_script("return navigator.userAgent"), "acceptLanguage": "en-US"})

    def test_errors_of_the_program_are_told_in_the_language_of_the_page(self):
        tables = {}
        for language in LANGUAGES[1:]:
            source = (WEB / f"words/troubles-{language}.js").read_text()
            tables[language] = re.findall(r"^  (\w+): \['", source, re.M)
            self.assertNotIn("''", source)
        self.assertEqual(*tables.values())
        self.assertGreaterEqual(len(tables["de"]), 30)
        known = set(re.findall(r"`(\w+)`", (stage.ROOT / "docs/troubles.md").read_text()))
        self.assertEqual(sorted(set(tables["de"]) - known), [], "codes that no error has")
        for language, broken, unread, english in (
                ("en", "The writing process ended.", "It is not a document this program can read.", "Ask again; your question is kept."),
                ("de", "Der Prozess, der daran arbeitete, ist abgebrochen.", "Diese Art von Datei kann nicht gelesen werden.", "Versuchen Sie es noch einmal"),
                ("fr", "Le processus qui y travaillait s’est interrompu.", "Ce type de fichier ne peut pas être lu.", "Réessayez")):
            self.speak(language)
            self.one("#question").send_keys("please break", Keys.ENTER)
            self.sees(broken)
            self.sees(english)
            self.go("library")
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / f"Noise {language}.broken"
                file.write_text("words")
                self.one("input[type=file][multiple]").send_keys(str(file))
                self.sees(unread)

    def test_reasons_of_the_program_are_told_in_the_language_of_the_page(self):
        tables = {}
        for language in LANGUAGES[1:]:
            source = (WEB / f"words/reasons-{language}.js").read_text()
            tables[language] = dict(re.findall(r"'((?:[^'\\]|\\')+)': '((?:[^'\\]|\\')+)'", source))
        self.assertEqual(*(list(table) for table in tables.values()))
        swift = "\n".join(file.read_text() for file in sorted((stage.ROOT / "Sources").rglob("*.swift")))
        for english in tables["de"]:
            for table in tables.values():
                self.assertEqual(table[english].count("{}"), english.count("{}"), english)
            # What the program does not say any more goes.
            for part in english.replace("\\'", "'").split("{}"):
                words = part.strip(" ,;:()\"")
                if len(words) > 6:
                    self.assertIn(words, swift, english)
        told = lambda said: self.driver.execute_async_script(
            "import('/js/reasons.js').then(({ reason }) => arguments[1](reason(arguments[0])))", said)
        said = "the device is too hot (TCPU at 97 °C, slows down at 85 °C); Deep became Fast"
        for language, own in (("en", said), ("de", "das Gerät ist zu heiß (TCPU bei 97 °C, wird ab 85 °C gebremst); aus „Tief“ wurde „Schnell“"),
                              ("fr", "l’appareil est trop chaud (TCPU à 97 °C, ralentit à partir de 85 °C) ; « Profond » est devenu « Rapide »")):
            self.speak(language)
            self.assertEqual(told(said), own)
            self.assertEqual(told("what nobody translated: 5"), "what nobody translated: 5")

    def test_what_an_error_names_is_shown_below_the_words_of_the_page(self):
        self.speak("de")
        told = lambda message: self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1]; import('/js/troubles.js').then(({ inOwnWords }) => done(inOwnWords({ code: arguments[0], message: arguments[1], remedy: 'Try.' })))",
            *message)
        one = told(("document_too_many_pages", "The document has 9000 pages; at most 5000 are read."))
        self.assertEqual((one["message"], one["said"]), ("Das Dokument hat zu viele Seiten.", "The document has 9000 pages; at most 5000 are read."))
        self.assertIsNone(told(("document_empty", "The file holds no text."))["remedy"])
        rare = told(("owner_gone", "The process ended."))
        self.assertEqual((rare["message"], rare["remedy"]), ("The process ended.", "Try."))

    def test_numbers_and_plurals_are_written_as_the_language_does(self):
        for language, one, many, bytes in (("en", "1 document added", "1,234 documents added", "1.5 kB"), ("de", "1 Dokument hinzugefügt", "1.234 Dokumente hinzugefügt", "1,5 kB"), ("fr", "1 document ajouté", "1\u202f234 documents ajoutés", "1,5 kB")):
            self.speak(language)
            told = self.driver.execute_async_script(
                "const done = arguments[arguments.length - 1]; Promise.all([import('/js/words.js'), import('/js/dom.js')]).then(([{ w }, { size }]) => done([w.added(1), w.added(1234), size(1500)]))")
            self.assertEqual(told, [one, many, bytes])


if __name__ == "__main__":
    import unittest
    unittest.main()
