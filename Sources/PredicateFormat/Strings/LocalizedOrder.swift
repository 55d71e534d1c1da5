import Foundation

/// The locale-sensitive orders of ``StringCollation``.
///
/// Off Apple's platforms Foundation orders expanding characters inconsistently: of "ﬁ" and "fs", or "ß" and "sé", each can come
/// before the other, so the result depends on the sorting algorithm. Strings are therefore compared with such characters
/// expanded.
enum LocalizedOrder {
    /// Compares by the rules of the current locale.
    static func compare(_ left: String, _ right: String, _ options: StringComparisonOptions) -> ComparisonResult {
        let isPlain = isASCII(left) && isASCII(right)
        return (isPlain ? left : form(of: left, options)).compare(
            isPlain ? right : form(of: right, options), options: options.foundationOptions, range: nil, locale: .current
        )
    }

    /// Compares as file managers sort: ignoring case first. Only strings with the same bytes are equal.
    static func compareStandard(_ left: String, _ right: String) -> ComparisonResult {
        let result = standardForm(of: left).localizedStandardCompare(standardForm(of: right))
        guard result == .orderedSame else { return result }
        let exact = compare(left, right, [])
        return exact == .orderedSame ? StringCollation.binary.compare(left, right) : exact
    }

    /// Returns `text` decomposed; for case-insensitive comparisons folded, which expands ligatures and "ß".
    private static func form(of text: String, _ options: StringComparisonOptions) -> String {
        let folding = options.folding
        if folding.isEmpty { return isASCII(text) ? text : text.decomposedStringWithCanonicalMapping }
        return String(decoding: StringFolding.fold(text, folding), as: UTF8.self)
    }

    /// Returns `text` folded and in ordinary width, since this order ignores width.
    private static func standardForm(of text: String) -> String {
        let folded = form(of: text, .caseInsensitive)
        guard folded.unicodeScalars.contains(where: isOfOtherWidth) else { return folded }
        var result = String.UnicodeScalarView()
        for scalar in folded.unicodeScalars {
            let isOther = isOfOtherWidth(scalar)
            let ordinary = isOther ? String(scalar).decomposedStringWithCompatibilityMapping : String(scalar)
            result.append(contentsOf: ordinary.unicodeScalars)
        }
        return form(of: String(result), .caseInsensitive)
    }

    private static func isOfOtherWidth(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value == 0x3000 || 0xFF00...0xFFEF ~= scalar.value
    }

    private static func isASCII(_ text: String) -> Bool {
        StringFolding.withBytes(of: text) { SubstringSearch.isASCII($0) }
    }
}
