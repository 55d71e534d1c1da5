import CoreDataRuntimeSupport
import Foundation

/// A key under which a row of a batch insert may give an element of a composite attribute: the element's own path, or that of
/// a composite that contains it.
package struct ElementSource {
    private let name: String
    /// The name as a key for Foundation's dictionaries.
    private let key: NSString
    /// The path of the element below the key.
    private let path: ArraySlice<String>
    /// The paths of all elements of the composite. Set for one of its elements only, which checks for unknown keys.
    private let known: [ArraySlice<String>]

    /// Returns the keys for an element, from its own path up to the attribute; none for an attribute that is not composite.
    package static func all(of cell: EntityLayout.Cell, in layout: EntityLayout) -> [ElementSource] {
        guard let composite = cell.compositeName else { return [] }
        return (0...cell.elementPath.count).reversed().map { depth in
            let name = ([composite] + cell.elementPath.prefix(depth)).joined(separator: ".")
            let elements = layout.elements(at: name)
            let looks = depth < cell.elementPath.count && elements.first?.index == cell.index
            return ElementSource(
                name: name, key: name as NSString, path: cell.elementPath.dropFirst(depth),
                known: looks ? elements.map { $0.elementPath.dropFirst(depth) } : [])
        }
    }

    /// Returns the value that a row gives an element; nil if it gives neither the element nor a composite that contains it.
    package static func value(
        of sources: [ElementSource], in layout: EntityLayout, _ value: (String, NSString) -> Any?
    ) throws -> Any? {
        var result: Any?
        for source in sources {
            guard let given = value(source.name, source.key) else { continue }
            let element = try source.element(of: given, in: layout)
            if result == nil { result = element }
        }
        return result
    }

    /// Returns the element's part of a value given under this key; `NSNull` if the value has none.
    ///
    /// - Throws: An error if a composite's value is not a dictionary, or contains an unknown element.
    package func element(of given: Any, in layout: EntityLayout) throws -> Any {
        guard let given = OptionalContents.unwrapped(given), !(given is NSNull) else { return NSNull() }
        if path.isEmpty { return given }
        guard let whole = given as? [String: Any] else {
            throw CoreDataError.make(
                NSManagedObjectValidationError, description: "A value of the batch request does not fit its attribute.",
                reason: "\(layout.name).\(name) is a composite attribute and takes a dictionary, not \(given).",
                advice: "Give a dictionary of its elements.", entity: layout.name, key: name,
                userInfo: [NSValidationKeyErrorKey: name])
        }
        if !known.isEmpty, let stray = CompositeValue.strayPath(in: whole, elements: known) {
            throw UnsupportedQuery.keyPath("\(name).\(stray)", in: layout)
        }
        return CompositeValue.element(at: path, of: whole) ?? NSNull()
    }
}
