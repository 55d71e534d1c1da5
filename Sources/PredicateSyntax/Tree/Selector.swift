import Foundation

/// The name of a method, with the role of Objective-C's selectors in sort descriptors.
///
/// Off Apple's platforms there is no dispatch by selector; sort descriptors support the comparison methods listed below.
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

/// Returns the name of a selector.
public func NSStringFromSelector(_ selector: Selector) -> String {
    selector.name
}

/// Returns the selector called `name`.
public func NSSelectorFromString(_ name: String) -> Selector {
    Selector(name)
}
