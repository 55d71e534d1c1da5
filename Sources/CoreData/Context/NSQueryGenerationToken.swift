import CoreDataRowStorage
import Foundation

/// A state of the stores that a context's reads can be pinned to; see ``NSManagedObjectContext/setQueryGenerationFrom(_:)``.
/// Supported by SQLite stores in write-ahead mode only.
///
/// A token keeps its state readable. Tokens can be archived, but states end with their process: a token unarchived from another
/// process can be compared, but reads cannot be pinned to it.
open class NSQueryGenerationToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// The token that selects the state at the next read.
    open class var current: NSQueryGenerationToken { currentToken }

    private static let currentToken = NSQueryGenerationToken()

    /// The number of the state and the process that created it; nil for `current`.
    private final let place: (number: Int, process: String)?
    final let held: QueryGeneration?

    private static let process = UUID().uuidString

    /// Creates a token without a state, for code written against Objective-C's `init`.
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

    /// Returns the token itself, because tokens are immutable.
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

    /// True: tokens support secure coding.
    public static var supportsSecureCoding: Bool { true }

    /// Creates a token from an archive. Returns nil if the archive is damaged.
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
