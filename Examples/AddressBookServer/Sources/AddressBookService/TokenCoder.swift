import Foundation

/// The parts of a history token: a place for each store, as a number or as bytes, and its time if that is known.
struct TokenParts: Codable {
    var stores: [String]?
    var transactionNumbers: [Int64]?
    var places: [Data]?
    var timestamps: [Double?]?
}

/// A coder that encodes history tokens to their parts, and decodes them.
final class TokenCoder: NSCoder {
    private(set) var parts: TokenParts

    init(_ parts: TokenParts) { self.parts = parts }

    override var allowsKeyedCoding: Bool { true }

    override func encode(_ object: Any?, forKey key: String) {
        switch key {
        case "stores": parts.stores = object as? [String]
        case "transactionNumbers": parts.transactionNumbers = (object as? [NSNumber])?.map(\.int64Value)
        case "places": parts.places = object as? [Data]
        case "timestamps":
            // JSON has no NaN, which is the time that is not known.
            parts.timestamps = (object as? [NSNumber])?.map { $0.doubleValue.isNaN ? nil : $0.doubleValue }
        default: break
        }
    }

    override func containsValue(forKey key: String) -> Bool { value(of: key) != nil }

    override func decodeObject(of classes: [AnyClass]?, forKey key: String) -> Any? { value(of: key) }

    private func value(of key: String) -> NSArray? {
        switch key {
        case "stores": parts.stores.map { $0 as NSArray }
        case "transactionNumbers": parts.transactionNumbers.map { $0.map { NSNumber(value: $0) } as NSArray }
        case "places": parts.places.map { $0.map { $0 as NSData } as NSArray }
        case "timestamps": parts.timestamps.map { $0.map { NSNumber(value: $0 ?? .nan) } as NSArray }
        default: nil
        }
    }
}
