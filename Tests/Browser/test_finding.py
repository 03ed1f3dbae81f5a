"""Finding one's way: a library of thousands, questions that wait, code and passages in answers, and the page as an app."""

import pathlib
import tempfile
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

import stage
from page import Page

# A shelf of so many documents in place of the library's.
SHELF = """
  const done = arguments[arguments.length - 1];
  import('/js/shelf.js').then(({ shelf }) => {
    const kinds = ['pdf', 'text', 'csv'];
    const all = Array.from({ length: arguments[0] }, (_, place) => ({ id: String(place), document: `papers/${place}.txt`, title: `Paper ${place} on mills`, kind: kinds[place % 3], collection: place % 2 ? 'letters' : 'documents', bytes: place * 10, created: new Date(2026, 0, 1, 0, 0, place).toISOString(), state: 'ready' }));
    const made = shelf(() => {});
    const inside = document.querySelector('.screen .inside');
    inside.replaceChildren(inside.querySelector('h1'), made.element);
    made.put(all);
    done(true);
  });"""


class FindingTest(Page):
    def add(self, *names):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        paths = [pathlib.Path(folder.name) / name for name in names]
        for path in paths:
            path.write_text("words")
        self.one("input[type=file][multiple]").send_keys("\n".join(map(str, paths)))
        self.sees(f"{len(names)} documents added", "#toasts")

    def titles(self):
        return self.driver.execute_script("return [...document.querySelectorAll('.item a')].map(one => one.textContent)")

    def choose(self, label, value):
        self.driver.execute_script(
            "const s = document.querySelector(`[aria-label=\"${arguments[0]}\"]`); s.value = arguments[1]; s.dispatchEvent(new Event('change', { bubbles: true }))", label, value)

    def test_conversations_of_today_stand_before_older_ones_that_came_in_later(self):
        self.assertEqual(self.driver.execute_async_script(
            "import('/js/rail.js').then(({ groups }) => arguments[0](groups([{ id: 'old', updated: '2020-01-01T00:00:00Z' }, { id: 'new', updated: new Date().toISOString() }]).map(([name, inside]) => `${name}: ${inside[0].id}`)))"),
            ["Today: new", "Earlier: old"])

    def test_more_files_than_the_program_lets_wait_are_all_read_and_seen_from_every_screen(self):
        self.go("library")
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder) / f"{place}.broken" for place in range(300)] + [pathlib.Path(folder) / "slow paper.pdf"]
            for path in paths:
                path.write_text("words")
            self.one("#main input[type=file]").send_keys("\n".join(map(str, paths)))
            self.sees("of 301", "#strip")
            self.shot("hundreds")
            self.assertLessEqual(len(self.all("#main progress")), 8)
            for screen in ("settings", "new"):
                self.go(screen)
                self.sees("301 of 301", "#strip")
        self.sees("1 document added", "#toasts")
        self.go("library")
        self.assertEqual(self.text().count("Not added"), 1)
        self.assertEqual(self.text().count("not a document this program can read"), 300)
        # A page that is opened anew shows what the one before has begun.
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "slow letter.pdf"
            path.write_text("words")
            self.one("#main input[type=file]").send_keys(str(path))
            self.sees("slow letter.pdf", "#strip")
            self.driver.refresh()
            self.sees("slow letter.pdf", "#strip")
            self.sees("1 document added", "#toasts")

    def test_small_files_are_counted_one_by_one_while_they_are_read(self):
        self.go("library")
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder) / f"{place}.note" for place in range(5)]
            for path in paths:
                path.write_text(f"words {path.name}")
            self.one("#main input[type=file]").send_keys("\n".join(map(str, paths)))
            for place in (2, 3, 4):
                self.sees(f"{place} of 5", "#strip")
            self.sees("5 documents added", "#toasts")

    def test_on_a_phone_the_name_of_what_comes_in_can_be_read_on_every_screen(self):
        stage.size(self.driver, 360, 740)
        self.addCleanup(self.driver.execute_script, "localStorage.removeItem('language')")
        for language, page in (("en", "page"), ("de", "Seite"), ("fr", "page")):
            name = f"slow manual of the boiler in the {language} cellar.pdf"
            self.driver.execute_script("localStorage.setItem('language', arguments[0])", language)
            self.driver.refresh()
            self.go("library")
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / name
                path.write_text(f"words {language}")
                self.one("#main input[type=file]").send_keys(str(path))
                for screen in ("new", "settings"):
                    self.go(screen)
                    self.wait(lambda: self.text("#strip .coming").startswith(name) and page in self.text("#strip .coming"), "what comes in, and how far it is")
                    self.assertEqual(self.driver.execute_script(
                        "return [...document.querySelectorAll('#strip .coming span, #strip .state span')].filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline').length"), 0, "nothing of it is cut")
                    self.shot(f"coming-{language}-{screen}")
                self.clean(f"coming-{language}")
                self.wait(lambda: not self.one("#strip .coming").is_displayed(), "and then it is gone")

    def test_a_library_of_thousands_is_narrowed_ordered_and_marked(self):
        self.go("library")
        self.driver.execute_async_script(SHELF, 3000)
        self.assertEqual(len(self.all(".item")), 100)
        self.named("Show 2,900 more")
        self.assertEqual(self.titles()[0], "Paper 2999 on mills")
        self.choose("Order", "title")
        self.assertEqual(self.titles()[:2], ["Paper 0 on mills", "Paper 2 on mills"])
        self.choose("Kind", "Table")
        self.assertIn("Table", self.text(".item"))
        self.choose("Collection", "letters")
        self.one("[aria-label='Filter by name']").send_keys("paper 299")
        self.wait(lambda: self.titles() == ["Paper 299 on mills", "Paper 2993 on mills", "Paper 2999 on mills"])
        self.assertEqual(self.one(".item a mark").text.lower(), "paper")
        self.clean("library-thousands")
        self.shot("library-thousands")
        self.choose("Order", "added")

    def test_templates_are_offered_behind_a_slash_and_filled_in(self):
        self.go("settings")
        field = self.one("#set-templates")
        field.send_keys("Shorter: Say this in one sentence: {selection}\n\nBrief: Write a brief about {document}", Keys.TAB)
        self.wait(lambda: self.driver.execute_async_script(
            "const done = arguments[0]; import('/js/home.js').then(({ settings }) => done(settings.templates?.length === 2))"), "both are kept")
        self.clean("settings-templates")
        self.go("new")
        field = self.one("#question")
        field.send_keys("/")
        self.wait(lambda: len(self.all("#templates [role=option]")) == 2, "both are offered")
        self.clean("templates")
        self.shot("templates")
        field.send_keys("b")
        self.wait(lambda: [one.text.split("\n")[0] for one in self.all("#templates [role=option]")] == ["Brief"])
        field.send_keys(Keys.ENTER)
        # What is not known is selected, to be written over.
        self.assertEqual(field.get_property("value"), "Write a brief about {document}")
        field.send_keys("bees")
        self.assertEqual(field.get_property("value"), "Write a brief about bees")
        self.assertFalse(self.all(".turn"), "nothing was sent")
        self.driver.execute_script("document.getSelection().selectAllChildren(document.querySelector('h1, h2'))")
        field.clear()
        field.send_keys("/", Keys.ARROW_DOWN, Keys.ARROW_UP, Keys.TAB)
        self.assertRegex(field.get_property("value"), r"^Say this in one sentence: [^{]+$")
        field.clear()
        field.send_keys("/", Keys.ESCAPE)
        self.assertFalse([one for one in self.all("#templates [role=option]") if one.is_displayed()])
        field.clear()

    def test_several_documents_are_moved_and_removed_at_once(self):
        self.add("Alpha.pdf", "Beta.pdf", "Gamma.pdf")
        self.go("library")
        self.wait(lambda: {"Alpha", "Beta", "Gamma"} <= set(self.titles()))
        for title in ("Alpha", "Beta"):
            self.click(f"[aria-label='Choose {title}']")
        self.sees("2 chosen", ".choosing")
        self.clean("library-chosen")
        self.shot("library-chosen")
        self.one("[aria-label='The collection to move to']").send_keys("mills", Keys.ENTER)
        self.sees("2 documents moved", "#toasts")
        self.sees("mills", "#main")
        for title in ("Alpha", "Beta"):
            self.click(f"[aria-label='Choose {title}']")
        self.hit("Remove", ".choosing button")
        self.sees("Remove 2 documents?", "dialog")
        self.one("#sure").click()
        self.one("dialog button.danger").click()
        self.wait(lambda: "Alpha" not in self.titles() and "Gamma" in self.titles())

    def test_a_changed_file_that_is_added_again_is_told_from_the_one_before(self):
        self.go("library")
        # Handed over three times, once into another collection, and watched where it lies.
        papers = [(1, "plan.txt", "documents", None), (2, "plan.txt", "documents", None), (9, "plan.txt", "letters", None), (10, "plan.txt", "documents", None), (3, "plan.txt", "documents", "/home/plan.txt")]
        outdated = self.driver.execute_async_script(
            "const [papers, done] = arguments; import('/js/shelf.js').then(({ outdatedOf }) => done([...outdatedOf(papers.map(([id, document, collection, source]) => ({ id, document, collection, source })))].sort()))", papers)
        self.assertEqual(outdated, [1, 2])
        self.driver.execute_async_script(SHELF, 3)
        self.assertNotIn("a newer one of this name", self.text())
        self.driver.execute_async_script(SHELF.replace("`papers/${place}.txt`", "'plan.txt'"), 3)
        self.assertEqual(self.text().count("a newer one of this name was added"), 1, "two are of one collection")

    def test_the_next_question_waits_for_the_answer_under_way_and_can_be_taken_back(self):
        self.stage.hold()
        self.ask("held filter", until="Every")
        self.one("#question").send_keys("What pressure is right?", Keys.ENTER)
        self.sees("What pressure is right?", ".waiting")
        self.one("#question").send_keys("And this one?", Keys.ENTER)
        self.wait(lambda: len(self.all(".waiting li")) == 2)
        self.clean("waiting")
        self.shot("waiting")
        self.driver.execute_script("document.querySelectorAll('.waiting button')[1].click()")
        self.wait(lambda: self.one("#question").get_attribute("value") == "And this one?")
        self.one("#question").clear()
        self.stage.hold(False)
        self.wait(lambda: len(self.all(".turn.answer")) == 2, "the next is asked by itself")
        self.wait(lambda: not self.all(".made"))
        self.assertEqual([one.text for one in self.all(".turn.you .said")], ["held filter", "What pressure is right?"])
        self.assertFalse(self.one(".waiting").is_displayed())

    def test_code_is_coloured_named_and_copied_and_a_table_is_moved_by_itself(self):
        self.ask("Show me markdown")
        self.wait(lambda: self.all(".words .table table") and not self.all(".caret"))
        self.assertEqual(self.text(".codebox .grow"), "Shell")
        self.assertEqual(self.one(".codebox pre").get_attribute("aria-label"), "Code, Shell")
        told = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1]; import('/js/code.js').then(({ pieces }) => done(pieces('let a = \"x\" // one\\nreturn 12', 'js')))")
        self.assertEqual(told, [["word", "let"], ["", " a = "], ["string", '"x"'], ["", " "], ["comment", "// one"], ["", "\n"], ["word", "return"], ["", " "], ["number", "12"]])
        told = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1]; import('/js/code.js').then(({ pieces }) => done(pieces('a /* b \"c', 'js')))")
        self.assertEqual(told, [["", "a "], ["comment", '/* b "c']])
        self.clean("markdown")
        self.shot("markdown")

    def test_a_conversation_of_thousands_of_turns_is_gone_through(self):
        script = """
          const [count, done] = arguments;
          Promise.all([import('/js/tree.js'), import('/js/export.js')]).then(([tree, { readable }]) => {
            const turns = Array.from({ length: count }, (_, place) => ({ id: `${place}`, parent: place ? `${place - 1}` : undefined, question: `Question ${place}`, answer: 'Yes.', shown: place < 3 }));
            turns.push({ id: 'other', parent: '0', question: 'Another', answer: 'No.' });
            const talk = tree.fresh('one');
            tree.restore(talk, { title: 'Long', turns });
            const all = tree.everyTurn(talk.root).map((turn) => turn.question);
            done([all.length, all[0], all[1], all.at(-1), readable({ title: 'Long', turns }).includes('Another')]);
          }).catch((failure) => done(String(failure)));"""
        self.assertEqual(self.driver.execute_async_script(script, 20000), [20001, "Question 0", "Question 1", "Another", True])

    def test_a_passage_is_seen_by_pointing_at_its_numeral_or_standing_on_it(self):
        self.ask("When must the filter be changed?")
        self.wait(lambda: self.all(".numeral"))
        ActionChains(self.driver).move_to_element(self.one(".numeral")).perform()
        self.wait(lambda: self.one(".preview").is_displayed())
        self.sees("The filter must be changed every six months", ".preview")
        self.assertEqual(self.one(".numeral").get_attribute("aria-describedby"), "preview")
        self.clean("preview")
        self.shot("preview")
        self.press(Keys.ESCAPE)
        self.wait(lambda: not self.one(".preview").is_displayed())
        ActionChains(self.driver).move_to_element(self.one("#question")).perform()
        self.one("#question").click()
        self.driver.execute_script("const all = document.querySelectorAll('.numeral'); all[all.length - 1].focus({ focusVisible: true })")
        self.sees("The gauge should read", ".preview")
        self.one("#question").click()
        self.wait(lambda: not self.one(".preview").is_displayed())

    def test_the_number_of_a_passage_never_begins_a_line(self):
        self.ask("When must the filter be changed?")
        self.wait(lambda: self.all(".numeral") and not self.all(".caret"))
        script = """const words = document.querySelector('.turn.answer .words');
            return [...Array(80).keys()].flatMap((step) => {
              words.style.width = `${180 + 6 * step}px`;
              const left = words.getBoundingClientRect().left;
              return [...words.querySelectorAll('.numeral')].map((one) => one.getBoundingClientRect().left - left);
            });"""
        places = self.driver.execute_script(script)
        self.assertGreater(max(places), 200)
        self.assertGreater(min(places), 0)

    def test_settings_begin_with_what_people_need_and_are_found_by_name(self):
        self.go("settings")
        # The program's own settings come a moment after those of the page.
        self.wait(lambda: self.all("#set-threads"))
        self.assertEqual(self.text(".setting label"), "Appearance")
        self.assertFalse(self.one("#set-threads").is_displayed())
        self.one("[aria-label='Find a setting']").send_keys("thread")
        self.wait(lambda: self.one("#set-threads").is_displayed())
        self.assertFalse(self.one("#set-mode").is_displayed())
        self.clean("settings-found")
        self.shot("settings-found")
        self.one("[aria-label='Find a setting']").send_keys("xyz")
        self.sees("No setting is called that.")

    def test_the_window_itself_never_moves(self):
        """What is too long scrolls inside; else the strip would be gone, and empty space stand below."""
        for width, height in ((360, 740), (1440, 900)):
            stage.size(self.driver, width, height)
            for screen in ("settings", "library", "data", "new"):
                self.go(screen)
                moved = self.driver.execute_script("""
                  document.querySelector('.curious')?.setAttribute('open', '');
                  [...document.querySelectorAll('#main *')].at(-1).scrollIntoView();
                  document.querySelector('.curious')?.scrollIntoView();
                  scrollTo(0, 400);
                  return [scrollY, document.documentElement.scrollTop, document.body.scrollTop, document.querySelector('#strip').getBoundingClientRect().top]""")
                self.assertEqual(moved, [0, 0, 0, 0], f"{screen} {width}")

    def test_the_page_can_be_installed_and_is_seen_after_few_requests(self):
        self.assertEqual(self.driver.execute_cdp_cmd("Page.getInstallabilityErrors", {})["installabilityErrors"], [])
        for language in ("en", "de", "fr"):
            with self.subTest(language):
                self.driver.execute_script("localStorage.setItem('language', arguments[0])", language)
                self.opens_lightly()
        self.driver.execute_script("localStorage.removeItem('language')")
        # Another program on this port would be asked for its script anew (docs/threats.md).
        self.assertEqual(self.driver.execute_async_script("navigator.serviceWorker.getRegistrations().then((all) => arguments[0](all.length))"), 0)


if __name__ == "__main__":
    unittest.main()
