import CPDFium
import Core
import Documents
import Foundation

/// A field of a form that somebody has filled in.
struct FormField {
  enum Value: Equatable {
    case text(String)
    /// A box or a round button; those that are not chosen say nothing.
    case ticked
  }

  /// What the form's author wrote for people who cannot see it ("Date of birth"); empty where nothing.
  var description = ""
  /// What programs call it ("form1[0].#subform[0].TextField1[3]").
  var name = ""
  var value: Value
  /// As the reader sees it.
  var box: Box

  /// The field as a row: "Date of birth: 4 May 1985", "[x] I agree".
  func block(among lines: [Line]) -> Block {
    let label = [description.letters(200), printed(among: lines), plainName].first { !$0.isEmpty } ?? ""
    let before: String
    let said: String
    switch value {
    case .text(let value):
      (before, said) = (label.isEmpty ? "" : label.hasSuffix(":") ? "\(label) " : "\(label): ", value)
    case .ticked: (before, said) = ("", "[x] \(label)".trimmed())
    }
    let place = Geometry.Word(range: before.utf8.count..<(before.utf8.count + said.utf8.count), box: box)
    return Block(.row(header: false), before + said, geometry: Geometry.encode([place]))
  }

  /// What is printed beside the field: before a text or above it, behind a box to be ticked.
  private func printed(among lines: [Line]) -> String {
    let beside = lines.filter { min($0.box.y1, box.y1) - max($0.box.y0, box.y0) > 0.4 * min($0.box.height, box.height) }
    let before = beside.filter { $0.box.x1 <= box.x0 + 4 && box.x0 - $0.box.x1 < 200 }.max { $0.box.x1 < $1.box.x1 }
    let behind = beside.filter { $0.box.x0 >= box.x1 - 4 && $0.box.x0 - box.x1 < 40 }.min { $0.box.x0 < $1.box.x0 }
    let above = lines.filter {
      $0.box.y1 <= box.y0 + 3 && box.y0 - $0.box.y1 < 14 && $0.box.x0 < box.x1 && $0.box.x1 > box.x0
    }.max { $0.box.y1 < $1.box.y1 }
    let nearest = value == .ticked ? behind ?? before : before ?? above ?? behind
    let text = nearest?.text.trimmingCharacters(in: CharacterSet(charactersIn: " ._:")) ?? ""
    return text.contains(where: \.isLetter) ? text.letters(200) : ""
  }

  /// The last part of a name, where it is a word; programs count fields as "Text12" and "f1_02[0]".
  private var plainName: String {
    let last = name.split(separator: ".").last?.prefix { $0 != "[" } ?? ""
    let counted =
      /(?:text|textfield|field|untitled|undefined|check|checkbox|box|button|radio|feld|f|c|fill)?[ _]?\d*(?:[_ ]\d+)*/
    guard last.lowercased().wholeMatch(of: counted) == nil else { return "" }
    return last.letters(200).replacing("_", with: " ")
  }
}

/// The form of an open PDF. Scripts in it are never run: this PDFium has no engine for them.
final class PDFForm {
  private let handle: FPDF_FORMHANDLE
  private let info: UnsafeMutablePointer<FPDF_FORMFILLINFO>

  private static let mostFields = 2_000
  private static let mostOptions = 1_000
  private static let mostBytes: UInt = 64 << 10
  /// Something of the page at hand was too much to be read.
  private var leavesOut = false
  /// Of all fields of a page: they may have one text from the same parent.
  private static let mostText = 1 << 20

  /// Nil where the document has no form.
  init?(_ document: FPDF_DOCUMENT) {
    guard PDFium.use({ FPDF_GetFormType(document) }) != 0 else { return nil }
    info = .allocate(capacity: 1)
    info.initialize(to: FPDF_FORMFILLINFO())
    info.pointee.version = 1
    let info = info
    guard let handle = PDFium.use({ FPDFDOC_InitFormFillEnvironment(document, info) }) else {
      info.deallocate()
      return nil
    }
    self.handle = handle
  }

  deinit {
    PDFium.use { FPDFDOC_ExitFormFillEnvironment(handle) }
    info.deallocate()
  }

  /// What is filled in on a page, from top to bottom, and whether that is all of it.
  func fields(_ page: OpenPage) -> (fields: [FormField], areAll: Bool) {
    let transform = PageTransform(page)
    var fields: [FormField] = []
    var left = Self.mostText
    let count = FPDFPage_GetAnnotCount(page.handle)
    leavesOut = count > CInt(Self.mostFields)
    for index in 0..<min(CInt(Self.mostFields), count) {
      guard let annotation = FPDFPage_GetAnnot(page.handle, index) else { continue }
      defer { FPDFPage_CloseAnnot(annotation) }
      guard FPDFAnnot_GetSubtype(annotation) == CInt(FPDF_ANNOT_WIDGET), let value = value(annotation) else { continue }
      var rect = FS_RECTF()
      guard FPDFAnnot_GetRect(annotation, &rect) != 0 else { continue }
      var field = FormField(value: value, box: transform.box(rect))
      guard [field.box.x0, field.box.x1, field.box.y0, field.box.y1].allSatisfy({ $0.isFinite && abs($0) < 1e6 })
      else { continue }
      field.description = text { FPDFAnnot_GetFormFieldAlternateName(handle, annotation, $0, $1) }.collapsed()
      field.name = text { FPDFAnnot_GetFormFieldName(handle, annotation, $0, $1) }
      if case .text(let said) = field.value { left -= said.utf8.count }
      guard left >= 0 else {
        leavesOut = true
        break
      }
      fields.append(field)
    }
    return (fields.sorted { ($0.box.y0, $0.box.x0) < ($1.box.y0, $1.box.x0) }, !leavesOut)
  }

  private func value(_ annotation: FPDF_ANNOTATION) -> FormField.Value? {
    var value = ""
    switch FPDFAnnot_GetFormFieldType(handle, annotation) {
    case CInt(FPDF_FORMFIELD_CHECKBOX), CInt(FPDF_FORMFIELD_RADIOBUTTON):
      // Which of its appearances it shows; the one that is not chosen has the same name everywhere.
      let state = text { FPDFAnnot_GetStringValue(annotation, "AS", $0, $1) }
      return state.isEmpty || state == "Off" ? nil : .ticked
    case CInt(FPDF_FORMFIELD_COMBOBOX), CInt(FPDF_FORMFIELD_LISTBOX):
      value = chosen(annotation)
      // What was typed is none of the options.
      if value.isEmpty { value = said { FPDFAnnot_GetFormFieldValue(handle, annotation, $0, $1) } }
    case CInt(FPDF_FORMFIELD_TEXTFIELD):
      let flags = FPDFAnnot_GetFormFieldFlags(handle, annotation)
      guard flags & CInt(FPDF_FORMFLAG_TEXT_PASSWORD) == 0 else { return nil }
      value = said { FPDFAnnot_GetFormFieldValue(handle, annotation, $0, $1) }
    default: return nil
    }
    value = Typesetting.plain(value.replacing("\r\n", with: "\n").replacing("\r", with: "\n")).trimmed()
    return value.isEmpty ? nil : .text(value)
  }

  /// What is chosen of a list's options.
  private func chosen(_ annotation: FPDF_ANNOTATION) -> String {
    let count = max(0, FPDFAnnot_GetOptionCount(handle, annotation))
    if count > CInt(Self.mostOptions) { leavesOut = true }
    var value = ""
    for option in 0..<min(CInt(Self.mostOptions), count)
    where FPDFAnnot_IsOptionSelected(handle, annotation, option) != 0 {
      let label = said { FPDFAnnot_GetOptionLabel(handle, annotation, option, $0, $1) }
      guard value.utf8.count + label.utf8.count < Self.mostText else {
        leavesOut = true
        break
      }
      if !label.isEmpty { value += (value.isEmpty ? "" : ", ") + label }
    }
    return value
  }

  /// What somebody has filled in.
  private func said(_ read: (UnsafeMutableRawPointer?, UInt) -> UInt) -> String {
    if read(nil, 0) > Self.mostBytes { leavesOut = true }
    return text(read)
  }

  private func text(_ read: (UnsafeMutableRawPointer?, UInt) -> UInt) -> String {
    let bytes = read(nil, 0)
    guard bytes > 2, bytes <= Self.mostBytes else { return "" }
    var units = [UInt16](repeating: 0, count: Int(bytes) / 2)
    _ = units.withUnsafeMutableBytes { read($0.baseAddress, bytes) }
    return String(decoding: units.prefix { $0 != 0 }, as: UTF16.self)
  }
}
