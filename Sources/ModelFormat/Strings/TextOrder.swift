/// An order of texts.
package enum TextOrder {
    /// That of `<`.
    case standard
    /// By code units: that of ``literallyPrecedes(_:_:)``.
    case literal

    /// The places of `texts` in this order.
    @inline(never)
    fileprivate func places(of texts: [String]) -> [Int] {
        texts.indices.sorted { left, right in
            self == .standard ? texts[left] < texts[right] : literallyPrecedes(texts[left], texts[right])
        }
    }
}

extension Sequence {
    /// The elements in the order of their texts; those with the same text in the order they had.
    ///
    /// The compiler makes each `sorted(by:)` a sort of its own, which takes it as long as some hundred lines of other code.
    /// By this function, one sort serves all.
    package func sorted(byText text: (Element) -> String, _ order: TextOrder = .standard) -> [Element] {
        let elements = Array(self)
        return order.places(of: elements.map(text)).map { elements[$0] }
    }
}
