import Foundation
import ModelFormat

/// A place in the history of one or several stores. Can be archived and compared; does not change.
open class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// Number of the last transaction seen, by store identifier.
    final private(set) var transactionNumbers: [String: Int64] = [:]

    convenience init(transactionNumbers: [String: Int64]) {
        self.init()
        self.transactionNumbers = transactionNumbers
    }

    /// The token itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPersistentHistoryToken else { return false }
        return transactionNumbers == other.transactionNumbers
    }

    open override var hash: Int { transactionNumbers.hashValue }

    open override var description: String {
        let places = transactionNumbers.sorted(byText: \.key).map { "\($0.key): \($0.value)" }
        return "<NSPersistentHistoryToken {\(places.joined(separator: ", "))}>"
    }

    // MARK: NSSecureCoding

    public static var supportsSecureCoding: Bool { true }

    public required init?(coder: NSCoder) {
        let stores = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "stores") as? [String]
        let numbers =
            coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: "transactionNumbers") as? [NSNumber]
        guard let stores, let numbers, stores.count == numbers.count else { return nil }
        transactionNumbers = Dictionary(zip(stores, numbers.map(\.int64Value))) { first, _ in first }
        super.init()
    }

    open func encode(with coder: NSCoder) {
        let places = transactionNumbers.sorted(byText: \.key)
        coder.encode(places.map(\.key) as NSArray, forKey: "stores")
        coder.encode(places.map { NSNumber(value: $0.value) } as NSArray, forKey: "transactionNumbers")
    }

    /// The beginning of every history.
    public override init() { super.init() }
}
