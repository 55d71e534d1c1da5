/// A country identified by its calling code.
public struct Country: Sendable {
    /// The calling code, without "+".
    public var callingCode: Int32

    /// Creates the country with a calling code.
    public init(callingCode: Int32) { self.callingCode = callingCode }

    /// The name in English; "elsewhere" for a code that the list does not have.
    public var name: String {
        Self.names[callingCode] ?? "elsewhere"
    }

    private static let names: [Int32: String] = [
        1: "United States", 20: "Egypt", 27: "South Africa", 33: "France", 34: "Spain", 39: "Italy",
        44: "United Kingdom", 46: "Sweden", 48: "Poland", 49: "Germany", 55: "Brazil", 61: "Australia", 81: "Japan",
        84: "Vietnam", 91: "India",
    ]
}
