import Foundation

/// What a fetch can give: managed objects, object IDs, dictionaries, numbers.
///
/// A marker protocol, because `NSFetchRequest<NSFetchRequestResult>` must be a type of its own off Apple too, and only
/// the existential of a marker protocol conforms to its protocol. Results are objects, as at Apple.
@_marker
public protocol NSFetchRequestResult: AnyObject {}

extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}

/// What a fetch request gives. Raw values are Apple's.
public struct NSFetchRequestResultType: OptionSet, Sendable {
    /// Apple's number for the type.
    public let rawValue: UInt

    /// A type by Apple's number.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// Managed objects.
    public static let managedObjectResultType = NSFetchRequestResultType([])
    /// Object IDs.
    public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
    /// Dictionaries of the values of `propertiesToFetch`.
    public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
    /// One number: the count of what would be fetched.
    public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}
