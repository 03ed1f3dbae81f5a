"""The pictures of README.md, made from the real program: pictures.py FOLDER

An answer beside the page that it rests on, and what the page shows before there is any model. What is shown is what the program
does with the default packs; nothing is drawn by hand. CONTRIBUTING.md says how this is run."""

import pathlib
import shutil
import sys
import tempfile

from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

import papers
import stage

WIDTH, HEIGHT = 1120, 800
# A README shows them beside its words; larger ones would not be looked at for longer.
MOST_BYTES = 120_000

LEASE = [
    (20, 72, 760, "Lease agreement"),
    (11, 72, 726, "between Ada Keller, landlady, and Tom Brandt, tenant"),
    (14, 72, 684, "1  The flat"),
    (11, 72, 662, "The flat lies on the second floor of Mill Lane 7. It has three rooms, a kitchen,"),
    (11, 72, 646, "a bath and a cellar room. Two keys to each door are handed over."),
    (14, 72, 604, "2  Rent and deposit"),
    (11, 72, 582, "The rent is 850 euros a month and is due on the third working day."),
    (11, 72, 566, "The deposit is 1,700 euros. It may be paid in three equal parts, the first of them"),
    (11, 72, 550, "before the keys are handed over."),
    (14, 72, 508, "3  Notice"),
    (11, 72, 486, "The tenant may give notice at any time, with a period of three months to the end"),
    (11, 72, 470, "of a month. Notice must be given in writing."),
    (14, 72, 428, "4  The house"),
    (11, 72, 406, "Bicycles are kept in the yard. The stairs are cleaned by all tenants in turn, a week"),
    (11, 72, 390, "each. Repairs that cost less than 80 euros are paid by the tenant."),
]
QUESTION = "How much is the deposit?"


class View:
    def __init__(self, house):
        self.driver = stage.browser(WIDTH, HEIGHT)
        self.driver.get(house.address)

    def wait(self, script, *words):
        return WebDriverWait(self.driver, 240, poll_frequency=0.1).until(lambda driver: driver.execute_script(script, *words))

    def sees(self, words, css="#main"):
        self.wait("return document.querySelector(arguments[1])?.innerText.includes(arguments[0])", words, css)

    def shoot(self, file):
        # What is sealed is known a little later than the rest; nothing blinks in a picture.
        self.sees("sealed", "#strip")
        self.driver.execute_script("document.activeElement?.blur()")
        self.wait("return document.getAnimations().every((one) => one.playState !== 'running')")
        self.driver.save_screenshot(str(file))
        if file.stat().st_size > MOST_BYTES:
            sys.exit(f"{file} has {file.stat().st_size} bytes; {MOST_BYTES} are the most")
        print(file, file.stat().st_size)


def answer(file):
    house = stage.House(hears=False)
    try:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="libera-pictures-"))
        paper = folder / "Lease agreement.pdf"
        paper.write_bytes(papers.pdf([LEASE]))
        imported = house.run("import", str(paper))
        shutil.rmtree(folder)
        if imported.returncode:
            sys.exit(imported.stderr.decode())
        view = View(house)
        view.wait("return document.querySelector('#question')")
        view.driver.find_element("css selector", "#question").send_keys(QUESTION, Keys.ENTER)
        view.wait("return document.querySelector('.turn.answer .chips button')")
        view.wait("return !document.querySelector('.turn.answer .made')")
        view.driver.find_element("css selector", ".turn.answer .chips button").click()
        view.sees("deposit", "#evidence")
        view.wait("return document.querySelector('#evidence img')?.complete")
        view.shoot(file)
        view.driver.quit()
    finally:
        house.close()


def beginning(file):
    house = stage.House(hears=False, packed=False)
    try:
        view = View(house)
        # The way that fits this machine is asked for, and so are times.
        view.wait("return document.querySelectorAll('#main fieldset.choice label').length === 3")
        view.shoot(file)
        view.driver.quit()
    finally:
        house.close()


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    answer(folder / "answer.png")
    beginning(folder / "beginning.png")
