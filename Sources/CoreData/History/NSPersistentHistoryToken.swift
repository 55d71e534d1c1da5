import CoreDataRowStorage
import Foundation
import ModelFormat

/// A place in the history of one or several stores. Immutable; can be archived and compared.
///
/// A token contains the timestamps of its transactions, so that it is not applied to other transactions with the same numbers
/// after a store was restored from a backup. Archives of version 0.1 lack the timestamps, and are checked by the numbers alone.
///
/// For stores that number their transactions in commit order the archive contains numbers, as in version 0.1; the places of
/// others are archived as bytes.
open class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// The last transaction of each store, by store identifier.
    final private(set) var marks: [String: HistoryMark] = [:]

    convenience init(_ marks: [String: HistoryMark]) {
        self.init()
        self.marks = marks
    }

    /// Returns the token itself, because tokens are immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPersistentHistoryToken, marks.count == other.marks.count else { return false }
        return marks.allSatisfy { store, mark in
            guard let otherMark = other.marks[store], mark.place == otherMark.place else { return false }
            guard let timestamp = mark.timestamp, let otherTimestamp = otherMark.timestamp else { return true }
            return timestamp == otherTimestamp
        }
    }

    open override var hash: Int { marks.mapValues(\.place).hashValue }

    open override var description: String {
        let places = marks.sorted(byText: \.key).map { "\($0.key): \($0.value.place)" }
        return "<NSPersistentHistoryToken {\(places.joined(separator: ", "))}>"
    }

    // MARK: NSSecureCoding

    /// True: tokens support secure coding.
    public static var supportsSecureCoding: Bool { true }

    /// Creates a token from an archive. Returns nil if the archive is damaged.
    public required init?(coder: NSCoder) {
        func list<Element>(_ type: AnyClass, _ key: String) -> [Element]? {
            // Decoding a missing key would make the decoder fail.
            guard coder.containsValue(forKey: key) else { return nil }
            return coder.decodeObject(of: [NSArray.self, type], forKey: key) as? [Element]
        }
        let stores: [String]? = list(NSString.self, "stores")
        let bytes: [Data]? = list(NSData.self, "places")
        let numbers: [NSNumber]? = list(NSNumber.self, "transactionNumbers")
        let places = bytes?.map(HistoryPlace.init(bytes:)) ?? numbers?.map { HistoryPlace(number: $0.int64Value) }
        guard let stores, let places, stores.count == places.count else { return nil }
        let times: [NSNumber]? = list(NSNumber.self, "timestamps")
        let timestamps = times?.map(\.doubleValue) ?? []
        for (index, store) in stores.enumerated() {
            let timestamp = index < timestamps.count && !timestamps[index].isNaN ? timestamps[index] : nil
            marks[store] = HistoryMark(place: places[index], timestamp: timestamp)
        }
        super.init()
    }

    open func encode(with coder: NSCoder) {
        let places = marks.sorted(byText: \.key)
        coder.encode(places.map(\.key) as NSArray, forKey: "stores")
        let numbers = places.compactMap(\.value.place.number)
        if numbers.count == places.count {
            coder.encode(numbers.map { NSNumber(value: $0) } as NSArray, forKey: "transactionNumbers")
        } else {
            coder.encode(places.map { $0.value.place.bytes as NSData } as NSArray, forKey: "places")
        }
        // In the order of the stores; NaN if the time is unknown.
        coder.encode(places.map { NSNumber(value: $0.value.timestamp ?? .nan) } as NSArray, forKey: "timestamps")
    }

    /// Creates the token of the beginning of every history.
    public override init() { super.init() }
}
