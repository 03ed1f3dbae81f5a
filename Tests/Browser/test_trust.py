"""What the page says of itself is true: nothing is fetched unasked, attachments are kept apart, unchecked words look unchecked,
the strip tells who answers, numbers agree."""

import unittest

from page import Page

PASTE = """
  const data = new DataTransfer();
  for (const [name, text, type] of arguments[0]) data.items.add(new File([text], name, { type }));
  document.querySelector('#question').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));"""


class TrustTest(Page):
    def asked_for(self, name):
        return self.driver.execute_script(
            "return performance.getEntriesByType('resource').filter(one => one.name.endsWith('/api/' + arguments[0])).length", name)

    def test_opening_packs_asks_nobody_until_a_person_does(self):
        self.go("packs")
        self.sees("SmolLM2")
        self.sees("Nothing is fetched, and nothing of yours is sent.")
        # The start page has looked into the catalogue, and nowhere else, for what could be chosen.
        before = self.asked_for("packs-proposal")
        self.go("packs")
        self.sees("SmolLM2")
        self.assertEqual(self.asked_for("packs-proposal"), before)
        self.hit("Look for a better pack", "#main button")
        self.sees("would fit here and write better")
        self.assertEqual(self.asked_for("packs-proposal"), before + 1)

    def test_the_start_page_and_the_seal_say_what_was_opened(self):
        script = "const done = arguments[arguments.length - 1]; import('/js/words.js').then(({ w }) => done([w.nothingLeaves(null), w.nothingLeaves({}, false), w.nothingLeaves({ connections_opened: 0 }, true), w.nothingLeaves({ connections_opened: 2 }, true)]))"
        unknown, unsealed, shut, opened = self.driver.execute_async_script(script)
        self.assertNotIn("cannot open", unknown)
        self.assertIn("cannot seal", unsealed)
        self.assertIn("nothing else has opened one", shut)
        self.assertIn("2 times a process of its own had one, because it was asked for", opened)
        self.assertNotIn("Nothing leaves", opened)
        self.sees("Nothing leaves: what reads your documents cannot open a connection")
        self.hit("sealed", "#strip button")
        self.sees("Processes with a network", "dialog")
        self.clean("seal")

    def test_two_attachments_of_one_name_are_kept_apart_and_one_of_one_content_is_kept_once(self):
        self.driver.execute_script(PASTE, [["image.png", "first", "image/png"], ["image.png", "second", "image/png"]])
        self.wait(lambda: len(self.all(".composer .attached li")) == 2)
        names = self.text(".composer .attached")
        self.assertIn("image.png", names)
        self.assertIn("image (2).png", names)
        self.assertEqual(len(self.all(".composer .attached img.thumb")), 2)
        self.driver.execute_script(PASTE, [["copy.png", "second", "image/png"]])
        self.sees("copy.png is attached already, as image (2).png.", "#toasts")
        self.assertEqual(len(self.all(".composer .attached li")), 2)
        self.hit("Take image (2).png away")
        self.wait(lambda: len(self.all(".composer .attached li")) == 1)
        self.driver.execute_script(PASTE, [["other.png", "second", "image/png"]])
        self.sees("other.png", ".composer .attached")
        self.clean("thumbs")

    def test_words_without_documents_look_unchecked_and_an_abstention_offers_them(self):
        self.ask("What is on the moon?", until="What to try")
        self.hit("Answer without documents", ".turn.answer button")
        self.sees("Not checked: written without your documents", ".turn.answer")
        self.assertTrue(self.all(".turn.answer.free"))
        self.clean("unchecked")
        self.shot("unchecked")
        self.ask("When must the filter be changed?")
        self.assertNotIn("free", self.all(".turn.answer")[-1].get_attribute("class"))
        # Those that follow bear a mark that says it to whoever rests there.
        self.driver.execute_script("document.querySelector('[aria-label=\"Kind of question\"]').value = 'talk'")
        last = self.ask("How are you?")
        self.wait(lambda: "free" in last.get_attribute("class"))
        whole, mark = (last.find_element("css selector", css) for css in (".unchecked", ".mark"))
        self.assertFalse(whole.is_displayed())
        self.assertEqual(mark.text, "Not checked")
        self.assertEqual([one.is_displayed() for one in self.all(".turn.free .unchecked")], [True, False])
        self.driver.execute_script("arguments[0].focus({ focusVisible: true })", mark)
        self.sees("written without your documents", "#preview")
        self.clean("unchecked-mark")
        self.shot("unchecked-mark")
        mark.click()
        self.assertTrue(whole.is_displayed())

    def test_the_strip_tells_who_answers_in_each_mode_and_chooses(self):
        self.go("packs")
        if "Try it" not in self.text("#main"):
            self.hit("Get: SmolLM2")
        self.sees("SmolLM2 135M", "#strip")
        self.go("new")
        self.click("#strip .state")
        self.sees("Who answers", "dialog")
        self.sees("now SmolLM2 135M", "dialog")
        self.sees("the same as in Fast", "dialog")
        self.clean("who-answers")
        self.shot("who-answers")
        self.driver.execute_script("document.querySelector('dialog input[name=pack-deep][value=\"smollm2-135m\"]').click()")
        self.wait(lambda: self.driver.execute_script("return document.querySelector('dialog input[name=pack-deep][value=\"smollm2-135m\"]').checked"))
        self.hit("Close", "dialog button")
        self.click("#strip .state")
        self.wait(lambda: self.driver.execute_script("return document.querySelector('dialog input[name=pack-deep][value=\"smollm2-135m\"]')?.checked"))

    def test_the_passages_of_an_answer_are_as_many_everywhere(self):
        answer = self.ask("When must the filter be changed?")
        chip = lambda: answer.find_elements("css selector", ".chips [data-citation]")
        self.wait(lambda: self.all(".numeral"))
        rests_on = {numeral.text for numeral in answer.find_elements("css selector", ".numeral")}
        self.assertEqual({one.find_element("css selector", ".no").text for one in chip()}, rests_on, "first what it rests on")
        self.hit("more", ".chips button.link")
        self.assertEqual(self.driver.switch_to.active_element.get_attribute("data-citation"), chip()[len(rests_on)].get_attribute("data-citation"))
        chips = len(chip())
        self.assertGreater(chips, len(rests_on))
        self.assertIn(f"{chips} passages", self.text("#strip"))
        self.assertIn(f"{chips} passages", answer.text)
        self.click(".chips button")
        self.sees(f"1 of {chips}", "#evidence")

    def test_an_empty_log_cannot_be_destroyed(self):
        self.go("diagnostics")
        self.hit("Clear the log")
        self.sees("No error is on record.")
        self.go("data")
        self.sees("0 now")
        self.assertFalse(self.named("Destroy: Logs").is_enabled())


if __name__ == "__main__":
    unittest.main()
