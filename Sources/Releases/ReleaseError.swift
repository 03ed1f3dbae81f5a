import Core

/// Why a version is not installed. Whatever the reason, what was installed goes on working.
package enum ReleaseError: Explained, Equatable {
  case notAName(String)
  case notHere(ProgramTree.Standing)
  case unreadable(String)
  case key(String)
  case otherKey(String, wanted: String)
  case signature(String)
  case unsigned(String)
  case hasKey
  case notListed(String)
  case noChecksum(String)
  case otherChecksum
  case wrongBytes(file: String, expected: String, found: String)
  case changed(String)
  case notNewer(ReleaseComparison, offered: ReleaseVersion, installed: ReleaseVersion)
  case archive(String)
  case otherVersion(String)
  case doesNotStart(String)
  case cannotExchange(String, reason: String)
  case notWritable(String)
  case running(Int32?)
  case nothingBack
  case notConfirmed
  case vaultNotReadable(of: ReleaseVersion)
  case noLength(String)

  package var code: String {
    switch self {
    case .wrongBytes, .otherChecksum: "hash_mismatch"
    case .signature, .otherKey: "signature_mismatch"
    case .nothingBack: "previous_missing"
    default: "upgrade_refused"
    }
  }

  package var message: String {
    switch self {
    case .notAName(let file):
      "\"\(file)\" is not named as a version of LiberaGPT for this system: libera-VERSION-\(ReleaseName.system).tar.gz."
    case .notHere(.package): "The system's package manager has installed this program."
    case .notHere(.elsewhere(let place)), .notHere(.tree(_, let place)): "\(place) was not unpacked from the tar file."
    case .notHere(.shared(let place, let others)): "\(place) also holds \(others.sorted().joined(separator: ", "))."
    case .unreadable(let what): "\(what) cannot be read as what a package holds."
    case .key(let why): "The publisher's key cannot be used: \(why)."
    case .otherKey(let found, let wanted): "This was signed with the key \(found); the publisher's here is \(wanted)."
    case .signature(let why): "The signature does not hold: \(why)."
    case .unsigned(let key): "There is no signature beside it, and the publisher's key \(key) is known here."
    case .hasKey: "This program carries its publisher's key already."
    case .notListed(let file): "\(ReleaseName.sums) does not name \(file), or not once."
    case .noChecksum(let file): "There is no \(ReleaseName.sums) beside \(file) to hold it to."
    case .otherChecksum: "The checksum that you named is not the one that \(ReleaseName.sums) has."
    case .wrongBytes(let file, let expected, let found):
      "\(file) is not the published file: its SHA-256 is \(found), expected \(expected)."
    case .changed(let file): "\(file) changed while it was read."
    case .notNewer(.same, let offered, _): "LiberaGPT \(offered) is what is installed."
    case .notNewer(_, let offered, let installed):
      "LiberaGPT \(offered) is older than \(installed), which is installed."
    case .archive(let why): "The file is not taken: \(why)."
    case .otherVersion(let found): "What is in it calls itself \(found)."
    case .doesNotStart(let why): "The other version does not start here: \(why)."
    case .cannotExchange(let place, let reason):
      "The file system of \(place) cannot exchange two folders in one step (\(reason))."
    case .notWritable(let place): "\(place) is not yours to write to."
    case .running(let process): "The program runs\(process.map { " (process \($0))" } ?? "")."
    case .nothingBack: "No previous version is kept here."
    case .notConfirmed: "Nothing was changed: it was not confirmed."
    case .vaultNotReadable(let version):
      "LiberaGPT \(version) cannot read the vault as it is now, and no copy from before is kept."
    case .noLength(let address): "\(address) does not say how long it is."
    }
  }

  package var remedy: String? {
    switch self {
    case .notHere(.package): "sudo apt install ./libera_VERSION_amd64.deb installs another version over this one."
    case .notHere(.elsewhere), .notHere(.tree):
      "In a checkout: git pull, then ./libera; what has changed is built by itself."
    case .notHere(.shared): "Move that away first: the whole folder is exchanged."
    case .otherKey, .signature, .unsigned, .wrongBytes, .changed, .notListed:
      "Nothing was changed. Fetch it again, with \(ReleaseName.sums) and \(ReleaseName.signature) beside it."
    case .key: "Look at lib/libera/publisher.pub, or at the file that you named."
    case .hasKey: "Leave --key out. Who wants another publisher unpacks that one's tar file elsewhere."
    case .noChecksum: "Put \(ReleaseName.sums) beside it, or name the checksum with --sha256."
    case .notNewer(.older, _, _): "libera upgrade --back returns to the version before, where it is kept."
    case .archive, .otherVersion, .doesNotStart, .unreadable: "Nothing was changed; what was installed goes on."
    case .cannotExchange: "Nothing was changed. Unpack the tar file beside it and start that one."
    case .notWritable: "Whoever unpacked the program there can upgrade it."
    case .running: "End it first: libera serve with Ctrl-C, a conversation with Ctrl-D."
    case .notConfirmed: "Type the word as it stands, or give --yes."
    case .vaultNotReadable: "Go on with this version, or restore a backup with the other one."
    case .notAName, .otherChecksum, .notNewer, .nothingBack, .noLength: nil
    }
  }
}
