import Foundation

/// A state of the stores that a context's reads can be pinned to. SQLite stores in WAL mode only.
open class NSQueryGenerationToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// Stands for the state at the next read.
    public class var current: NSQueryGenerationToken { currentToken }

    private static let currentToken = NSQueryGenerationToken(generations: nil)

    /// Generation by store identifier; nil for `current`.
    final let generations: [String: Int]?

    init(generations: [String: Int]?) {
        self.generations = generations
        super.init()
    }

    /// The token itself: tokens do not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSQueryGenerationToken else { return false }
        return self === other || (generations != nil && generations == other.generations)
    }

    open override var hash: Int { generations.hashValue }

    // MARK: NSSecureCoding

    public static var supportsSecureCoding: Bool { true }

    public required init?(coder: NSCoder) {
        guard coder.containsValue(forKey: "stores") else {
            generations = nil
            super.init()
            return
        }
        let stores = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "stores") as? [String]
        let numbers = coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: "generations") as? [Int]
        guard let stores, let numbers, stores.count == numbers.count else { return nil }
        generations = Dictionary(zip(stores, numbers)) { first, _ in first }
        super.init()
    }

    open func encode(with coder: NSCoder) {
        guard let generations else { return }
        let sorted = generations.sorted { $0.key < $1.key }
        coder.encode(sorted.map(\.key) as NSArray, forKey: "stores")
        coder.encode(sorted.map(\.value) as NSArray, forKey: "generations")
    }
}
