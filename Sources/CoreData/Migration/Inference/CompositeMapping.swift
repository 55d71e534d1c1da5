import CoreDataRowStorage
import Foundation
import ModelFormat

/// Maps the elements of a composite attribute to the corresponding elements of the new version.
struct CompositeMapping: Equatable {
    private let old: NSCompositeAttributeDescription
    private let new: NSCompositeAttributeDescription

    init(_ old: NSCompositeAttributeDescription, _ new: NSCompositeAttributeDescription) {
        self.old = old
        self.new = new
    }

    /// Returns the new dictionary; nil if none of its elements has a value.
    ///
    /// - Parameter values: the old dictionary; nil if there was none, in which case new elements still get their default
    ///   values, as new attributes do.
    /// - Throws: ``UnfitValue``, with the path of the element.
    func value(_ values: [String: Any]?) throws -> [String: Any]? {
        try value(values ?? [:], isOptional: new.isOptional, path: new.name)
    }

    private func value(_ values: [String: Any], isOptional: Bool, path: String) throws -> [String: Any]? {
        let pairs = Matching(source: old.elements.map(\.matched), destination: new.elements.map(\.matched)).pairs
        var result: [String: Any] = [:]
        for element in new.elements {
            let name = element.name
            guard let origin = old.elements.first(where: { $0.name == pairs[name] }) else {
                result[name] = Self.defaultValue(of: element)
                continue
            }
            let value = values[origin.name]
            if let new = element as? NSCompositeAttributeDescription,
                let old = origin as? NSCompositeAttributeDescription
            {
                result[name] = try CompositeMapping(old, new).value(
                    value as? [String: Any] ?? [:], isOptional: isOptional, path: "\(path).\(name)")
                continue
            }
            if let number = value as? NSNumber,
                let conversion = NumericConversion(from: origin.plainType, to: element.plainType),
                !conversion.fits(number)
            {
                throw UnfitValue(
                    entity: "", attribute: "\(path).\(name)", value: number, source: conversion.source,
                    destination: conversion.destination)
            }
            result[name] = value ?? (isOptional || element.isOptional ? nil : element.defaultValue)
        }
        return result.isEmpty ? nil : result
    }

    /// Returns the default value of an element; for a composite element, a dictionary of its elements' default values.
    private static func defaultValue(of element: NSAttributeDescription) -> Any? {
        guard let composite = element as? NSCompositeAttributeDescription else { return element.defaultValue }
        let values = composite.elements.compactMap { part in defaultValue(of: part).map { (part.name, $0) } }
        return values.isEmpty ? nil : Dictionary(values) { first, _ in first }
    }
}
