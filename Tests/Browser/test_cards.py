"""Cards of commands on a phone, by the real program: one open at a time, the newest in sight, each in its conversation."""

import unittest

from selenium.webdriver.common.keys import Keys

import house
import stage

# Of each card its words, whether more than them is to be seen, and whether all of it is within what scrolls.
CARDS = """
  const box = document.querySelector('#main .scroll')?.getBoundingClientRect();
  if (!box) return [];
  return [...document.querySelectorAll('#main .card.command')].map((card) => {
    const at = card.getBoundingClientRect();
    return { words: card.querySelector('.command-words').innerText, isOpen: [...card.querySelectorAll('button:not(.unfold), .utterance')].some((one) => one.checkVisibility()),
      isSeen: card.closest('.commands') !== null || at.top >= box.top - 1 && at.bottom <= box.bottom + 1 };
  })"""


class CardsTest(house.HouseTest):
    def setUp(self):
        super().setUp()
        stage.size(self.driver, 360, 740)

    def cards(self):
        return self.driver.execute_script(CARDS)

    def opened(self):
        return [card["words"] for card in self.cards() if card["isOpen"]]

    def only(self, words):
        """One card is open: this one, and all of it is in sight."""
        self.wait(lambda: len(self.opened()) == 1 and words in self.opened()[0], f"only “{words}” is open: {self.opened()}")
        self.wait(lambda: all(card["isSeen"] for card in self.cards() if card["isOpen"]), f"“{words}” is seen")

    def test_one_is_open_at_a_time_and_the_newest_is_seen(self):
        self.say("remind me tomorrow at nine to buy flowers. Also schedule lunch with Ann on Friday at noon.")
        self.wait(lambda: len(self.cards()) == 2, "two cards")
        self.only("lunch with Ann")
        self.assertIn("buy flowers", self.cards()[0]["words"])
        self.clean("cards-folded")
        self.press("Open: ", ".card.command .unfold")
        self.only("buy flowers")
        # A long conversation of them: the newest is in sight each time, also when what it shows becomes more.
        for name in ("one", "two", "three", "four", "five", "six", "seven"):
            self.say(f"remind me tomorrow at ten to call number {name}")
            self.only(f"call number {name}")
        self.say("send an email to bob@example.org saying the meeting is moved to friday")
        self.only("bob@example.org")
        self.press("Change")
        self.wait(lambda: self.all("#edit-subject"))
        self.press("Cancel", ".card.command form button")
        self.only("bob@example.org")
        self.press("Cancel")
        self.wait(lambda: not any("bob@example.org" in card["words"] for card in self.cards()))
        self.only("call number seven")
        # There is room for all of them on a larger window.
        stage.size(self.driver, 1440, 900)
        self.wait(lambda: len(self.opened()) == 9, "none is folded")

    def test_what_rings_is_the_one_that_is_open(self):
        self.say("remind me tomorrow at nine to buy flowers")
        self.only("buy flowers")
        self.say("remind me in 3 seconds to turn off the stove")
        self.wait(lambda: self.all(".card.command.notice"), "the reminder's card")
        self.wait(lambda: len(self.opened()) == 1 and not self.all(".card.command.notice.folded"), "only what rings is open")
        self.clean("cards-ring")
        self.press("Done", ".notice button")
        self.wait(lambda: not self.all(".card.command.notice"))
        self.only("turn off the stove")

    def test_each_stays_in_its_conversation(self):
        self.say("remind me tomorrow at nine to buy flowers")
        self.say("remind me tomorrow at ten to call John")
        self.only("call John")
        self.driver.execute_script("location.hash = '#/new'")
        self.wait(lambda: not self.cards(), "another conversation has none of them")
        self.all("#question")[0].send_keys("remind me tomorrow at eleven to water the plants", Keys.ENTER)
        self.wait(lambda: len(self.cards()) == 1)
        self.only("water the plants")
        self.driver.back()
        self.wait(lambda: len(self.cards()) == 2, "those that were said here")
        self.only("call John")
        self.driver.refresh()
        self.wait(lambda: len(self.cards()) == 2, "also for a page that knows nothing any more")
        self.only("call John")


if __name__ == "__main__":
    unittest.main()
