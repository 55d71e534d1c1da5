/// An XML element without meaning here, kept for writing.
public struct ExtraElement: Sendable, Hashable {
    public var name: String
    public var attributes: [String: String]
    public var children: [ExtraElement]

    public init(name: String, attributes: [String: String] = [:], children: [ExtraElement] = []) {
        self.name = name
        self.attributes = attributes
        self.children = children
    }
}
