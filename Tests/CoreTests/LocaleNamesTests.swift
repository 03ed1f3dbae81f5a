import Testing

@testable import Core

@Test(
  "A name that no locale has is known by its length and its letters",
  arguments: [
    ("C", true), ("POSIX", true), ("de_DE.UTF-8@euro", true), ("zh_Hant_TW", true), ("en-US-u-ca-buddhist", true),
    ("no such locale", false), ("aaaaaaaaaaaaaaaaaaaa", false), ("de_DE\u{1B}[2J", false), ("dé_DE", false),
  ])
func localeNames(name: String, isPossible: Bool) { #expect(LocaleNames.isPossible(name) == isPossible) }
