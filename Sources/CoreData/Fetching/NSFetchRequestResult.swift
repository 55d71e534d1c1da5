import Foundation

/// A type of fetch results: managed objects, object IDs, dictionaries, numbers.
///
/// A marker protocol, because `NSFetchRequest<NSFetchRequestResult>` must be a valid type off Apple's platforms too, and only
/// the existential of a marker protocol conforms to its protocol. Results are objects, as in Apple's framework.
@_marker
public protocol NSFetchRequestResult: AnyObject {}

extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}

/// The kind of results of a fetch request. Raw values are Apple's.
public struct NSFetchRequestResultType: OptionSet, Sendable {
    /// The raw value, the same as Apple's.
    public let rawValue: UInt

    /// Creates a type from Apple's raw value.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// Managed objects.
    public static let managedObjectResultType = NSFetchRequestResultType([])
    /// Object IDs.
    public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
    /// Dictionaries of the values of `propertiesToFetch`.
    public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
    /// A single number: the count of the results.
    public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}
