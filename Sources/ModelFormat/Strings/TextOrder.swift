/// An order of strings.
package enum TextOrder {
    /// The order of `<`.
    case standard
    /// The order of ``literallyPrecedes(_:_:)``, by code units.
    case literal

    /// Returns the indexes of `texts` in this order.
    @inline(never)
    fileprivate func places(of texts: [String]) -> [Int] {
        texts.indices.sorted { left, right in
            self == .standard ? texts[left] < texts[right] : literallyPrecedes(texts[left], texts[right])
        }
    }
}

extension Sequence {
    /// Returns the elements sorted by their texts. The sort is stable.
    ///
    /// Each `sorted(by:)` is a separate specialization, which costs the compiler as much as some hundred lines of other code.
    /// All callers of this function share one.
    package func sorted(byText text: (Element) -> String, _ order: TextOrder = .standard) -> [Element] {
        let elements = Array(self)
        return order.places(of: elements.map(text)).map { elements[$0] }
    }
}
