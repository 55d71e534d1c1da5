/// An unknown XML element, preserved when writing.
public struct ExtraElement: Sendable, Hashable {
    /// The name of the element.
    public var name: String
    /// The attributes of the element.
    public var attributes: [String: String]
    /// The child elements, in order.
    public var children: [ExtraElement]

    /// Creates an element.
    public init(name: String, attributes: [String: String] = [:], children: [ExtraElement] = []) {
        self.name = name
        self.attributes = attributes
        self.children = children
    }
}
