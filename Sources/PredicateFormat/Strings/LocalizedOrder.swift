import Foundation

/// The locale-sensitive orders of ``StringCollation``.
///
/// Foundation off Apple contradicts itself where one character stands for several: of "ﬁ" and "fs", or "ß" and "sé", each
/// can come before the other, and how a list is sorted then depends on who sorts it. Texts are therefore compared in a form
/// in which such characters are written out.
enum LocalizedOrder {
    /// By the rules of the current locale.
    static func compare(_ left: String, _ right: String, _ options: StringComparisonOptions) -> ComparisonResult {
        let isPlain = isASCII(left) && isASCII(right)
        return (isPlain ? left : form(of: left, options)).compare(
            isPlain ? right : form(of: right, options), options: options.foundationOptions, range: nil, locale: .current
        )
    }

    /// As file managers sort: without regard to case first. Only strings of the same bytes are equal.
    static func compareStandard(_ left: String, _ right: String) -> ComparisonResult {
        let result = standardForm(of: left).localizedStandardCompare(standardForm(of: right))
        guard result == .orderedSame else { return result }
        let exact = compare(left, right, [])
        return exact == .orderedSame ? StringCollation.binary.compare(left, right) : exact
    }

    /// Decomposed; where case does not matter every character in its folded form, which writes out ligatures and "ß".
    private static func form(of text: String, _ options: StringComparisonOptions) -> String {
        let folding = options.folding
        if folding.isEmpty { return isASCII(text) ? text : text.decomposedStringWithCanonicalMapping }
        return String(decoding: StringFolding.fold(text, folding), as: UTF8.self)
    }

    /// Folded, and of ordinary width, which this order does not regard either.
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
