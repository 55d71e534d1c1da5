import Foundation

/// The name of a method, in the role Objective-C's selectors have in sort descriptors.
///
/// Off Apple nothing can be sent by name; sort descriptors know the comparison methods listed below.
public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name with its colons, such as `localizedStandardCompare:`.
    public let name: String

    /// Creates the selector called `name`.
    public init(_ name: String) {
        self.name = name
    }

    public init(stringLiteral value: String) {
        name = value
    }

    public var description: String { name }

    /// `compare:`, the natural order of the values.
    public static let compare = Selector("compare:")
    /// `caseInsensitiveCompare:`
    public static let caseInsensitiveCompare = Selector("caseInsensitiveCompare:")
    /// `localizedCompare:`
    public static let localizedCompare = Selector("localizedCompare:")
    /// `localizedCaseInsensitiveCompare:`
    public static let localizedCaseInsensitiveCompare = Selector("localizedCaseInsensitiveCompare:")
    /// `localizedStandardCompare:`
    public static let localizedStandardCompare = Selector("localizedStandardCompare:")
}

/// The name of a selector.
public func NSStringFromSelector(_ selector: Selector) -> String {
    selector.name
}

/// The selector called `name`.
public func NSSelectorFromString(_ name: String) -> Selector {
    Selector(name)
}
