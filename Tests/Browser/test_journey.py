"""The first journey, on a window as large as a phone, before the real program: two papers are dropped and read, asked, their page
opened at the passage; something is asked without them, a reminder is spoken, and all of it is found again after a restart."""

import base64
import unittest

from selenium.webdriver.common.keys import Keys

import stage
from page import Page
from test_newcomer import PAGES, pdf

# The passage stands low on its page, so that a phone has to bring it into sight.
CLAUSES = """It is let from year to year.
The rooms are let with their furniture.
The rent is due on the third day of each month.
Heating is by wood, which the tenant brings in.
The chimney is swept in spring and in autumn.
The wheel may not be set going.
Children keep away from the race.
The garden is looked after by the tenant.
Hens and cats are welcome, dogs by agreement.
The barn stays with the landlord.
Boats are kept in the lower shed.
The bridge bears three tonnes.
Post is left at the gate.
Bins are emptied on Thursdays.
Repairs up to 80 euros are paid by the tenant.
Walls are painted in white when the tenant leaves.
Guests may stay for four weeks.
The well is tested once a year.
Keys are handed over against a signature.
Notice is given three months before the end of a year.
The deposit is two monthly rents.""".split("\n")
LEASE = (("Lease of the old mill", *CLAUSES),)

DROP = """
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const data = new DataTransfer();
  for (const [name, text] of arguments[0]) data.items.add(new File([bytes(text)], name, { type: 'application/pdf' }));
  const main = document.querySelector('#main');
  for (const kind of ['dragenter', 'dragover', 'drop']) main.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));"""


class JourneyTest(Page):
    @classmethod
    def raised(cls):
        return stage.House()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.driver.quit()
        cls.driver = stage.browser(360, 740, sound=stage.microphone(1, before=0.5, after=30.0))
        cls.addClassCleanup(cls.driver.quit)
        cls.driver.get(cls.stage.link())

    def setUp(self):
        stage.size(self.driver, 360, 740)
        self.one("#question")

    def fits(self, name):
        self.clean(name)
        self.shot(f"journey-{name}")
        self.assertLessEqual(self.driver.execute_script("return document.documentElement.scrollWidth - innerWidth"), 0, name)

    def test_the_first_day_and_the_next(self):
        files = [[name, base64.b64encode(pdf(pages)).decode()] for name, pages in (("Boiler manual.pdf", PAGES), ("Lease.pdf", LEASE))]
        self.sees("Ask your own documents")
        self.fits("start")
        self.driver.execute_script(DROP, files)
        self.wait(lambda: any(words in self.text("#strip") for words in ("Being added", "reading")), "they are seen being read")
        self.sees("2 documents added", "#toasts")

        # The start page offers what can be asked of them.
        self.go("library")
        self.sees("Boiler manual")
        self.go("new")
        self.sees("What is “")
        self.sees("Dictate: what you say is written down")
        self.fits("offers")

        answer = self.ask("How much is the deposit?", until="passage")
        self.wait(lambda: "two monthly rents" in answer.text)
        self.assertIn("two monthly rents", self.text("#announce"))
        self.fits("answer")
        self.click(".chips button")
        self.wait(lambda: self.driver.execute_script("return document.querySelector('.evidence img')?.naturalHeight > 0"))
        self.wait(lambda: self.driver.execute_script(MARKED), "the passage is in sight without scrolling")
        self.fits("evidence")
        self.press(Keys.ESCAPE)

        self.ask("What is on the moon?", until="What to try")
        self.hit("Answer without documents", ".turn.answer button")
        self.sees("Not checked: written without your documents", "#main")
        self.wait(lambda: not self.all(".made"))
        self.fits("unchecked")

        # What is typed is sure, and done at once; what was heard is asked back.
        if stage.FIREFOX:
            self.one("#question").send_keys(stage.said(1), Keys.ENTER)
        else:
            # What is said to be done is, whatever kind of question is chosen.
            self.driver.execute_script("document.querySelector('[aria-label=\"Kind of question\"]').value = 'talk'")
            self.click("[aria-label='Command: speak and send']")
        self.wait(lambda: self.all(".card.command .command-words"), "a card")
        self.assertIn("john", self.text(".card.command .command-words").lower())
        if not stage.FIREFOX:
            self.hit("Do it", ".card.command button")
        self.sees("Done", ".card.command")
        self.fits("reminder")

        # Tomorrow.
        self.stage.stop()
        self.stage.start()
        self.driver.get(self.stage.address)
        self.wait(lambda: not self.all("dialog"))
        self.go("new")
        self.hit_in_menu("How much is the deposit?")
        self.sees("two monthly rents")
        self.wait(lambda: not self.one("#rail").is_displayed(), "the drawer has made room")
        self.assertIn("How much is the deposit?", self.driver.title)
        self.fits("tomorrow")


# Whether what is marked on the page is within what the sheet shows.
MARKED = """
  const mark = document.querySelector('.evidence .marks .passage')?.getBoundingClientRect();
  const body = document.querySelector('.evidence .body').getBoundingClientRect();
  return Boolean(mark?.height) && mark.top >= body.top && mark.bottom <= body.bottom"""


if __name__ == "__main__":
    unittest.main()
