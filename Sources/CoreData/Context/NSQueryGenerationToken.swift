import CoreDataRowStorage
import Foundation

/// A state of the stores that a context's reads can be pinned to; see
/// ``NSManagedObjectContext/setQueryGenerationFrom(_:)``. SQLite stores in write-ahead mode only.
///
/// A token holds the state it stands for. Tokens can be archived, but states do not outlive their process: a token from
/// another one's archive can be compared, not pinned to.
open class NSQueryGenerationToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// Stands for the state at the next read.
    open class var current: NSQueryGenerationToken { currentToken }

    private static let currentToken = NSQueryGenerationToken()

    /// The number of the state, and the process it was made in; nil for `current`.
    private final let place: (number: Int, process: String)?
    final let held: QueryGeneration?

    private static let process = UUID().uuidString

    /// A token of no state, for code written against Objective-C's `init`.
    public override init() {
        place = nil
        held = nil
        super.init()
    }

    init(_ generation: QueryGeneration) {
        place = (generation.number, Self.process)
        held = generation
        super.init()
    }

    /// The token itself: tokens do not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSQueryGenerationToken else { return false }
        guard let place, let otherPlace = other.place else { return self.place == nil && other.place == nil }
        return place == otherPlace
    }

    open override var hash: Int { place?.number.hashValue ?? 0 }

    open override var description: String {
        "<NSQueryGenerationToken \(place.map { String($0.number) } ?? "current")>"
    }

    // MARK: NSSecureCoding

    public static var supportsSecureCoding: Bool { true }

    public required init?(coder: NSCoder) {
        held = nil
        if coder.containsValue(forKey: "process") {
            guard let process = coder.decodeObject(of: NSString.self, forKey: "process") as String? else { return nil }
            place = (coder.decodeInteger(forKey: "number"), process)
        } else {
            place = nil
        }
        super.init()
    }

    open func encode(with coder: NSCoder) {
        guard let place else { return }
        coder.encode(place.process as NSString, forKey: "process")
        coder.encode(place.number, forKey: "number")
    }
}
