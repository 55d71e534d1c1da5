import CoreData
import Foundation

extension Value {
    /// Creates a value from an attribute's value in Core Data. An object of another type than the attribute's becomes a text
    /// with its type.
    init(_ value: Any?, _ attribute: NSAttributeDescription) {
        guard let value, !(value is NSNull) else {
            self = .none
            return
        }
        if #available(macOS 14, *), let composite = attribute as? NSCompositeAttributeDescription {
            let parts = value as? [String: Any] ?? [:]
            self = Self.composite(composite.elements.map { ($0.name, Value(parts[$0.name], $0)) })
            return
        }
        self = Self.typed(value, attribute.attributeType) ?? .text("\(type(of: value)): \(value)")
    }

    private static func typed(_ value: Any, _ type: NSAttributeType) -> Value? {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            (value as? NSNumber).map { .integer($0.int64Value) }
        case .decimalAttributeType: (value as? NSDecimalNumber).map { .decimal("\($0.decimalValue)") }
        case .doubleAttributeType: (value as? NSNumber).map { .double($0.doubleValue) }
        case .floatAttributeType: (value as? NSNumber).map { .float($0.floatValue) }
        case .stringAttributeType: (value as? String).map { .text($0) }
        case .booleanAttributeType: (value as? NSNumber).map { .bool($0.boolValue) }
        case .dateAttributeType: (value as? Date).map { .date($0.timeIntervalSinceReferenceDate) }
        case .binaryDataAttributeType: (value as? Data).map { .data($0) }
        case .UUIDAttributeType: (value as? UUID).map { .uuid($0.uuidString) }
        case .URIAttributeType: (value as? URL).map { .uri($0.absoluteString) }
        case .transformableAttributeType: plain(value)
        default: nil
        }
    }

    /// Returns the value of a property-list object, a UUID or a URL. Numbers become doubles, because archives do not preserve
    /// their type on all platforms.
    private static func plain(_ value: Any) -> Value? {
        switch value {
        case let text as String: .text(text)
        case let date as Date: .date(date.timeIntervalSinceReferenceDate)
        case let data as Data: .data(data)
        case let uuid as UUID: .uuid(uuid.uuidString)
        case let url as URL: .uri(url.absoluteString)
        case let number as NSNumber: .double(number.doubleValue)
        case let list as [Any]: .list(list.map { plain($0) ?? .none })
        case let table as [String: Any]: .table(table.mapValues { plain($0) ?? .none })
        default: nil
        }
    }
}
