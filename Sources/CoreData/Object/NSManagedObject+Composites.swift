import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation

// Composite attributes: one value for the program, and a cell for each element that is not composite itself.

extension NSManagedObject {
    /// Returns the dictionary of a composite attribute's elements that are not nil; nil if all are.
    final func composite(_ cells: [Int], value: (EntityLayout.Cell) -> Any?) -> [String: Any]? {
        var result: [String: Any] = [:]
        for index in cells {
            let cell = layout.cells[index]
            if let value = value(cell) { CompositeValue.set(value, at: cell.elementPath[...], of: &result) }
        }
        return result.isEmpty ? nil : result
    }

    /// Sets one element of a composite attribute, which sets a new value of the whole attribute.
    final func setElement(_ value: Any?, at path: String, of composite: NSCompositeAttributeDescription) {
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard composite.element(at: names) != nil else {
            return setValue(value, forUndefinedKey: "\(composite.name).\(path)")
        }
        var whole = self.value(forKey: composite.name) as? [String: Any] ?? [:]
        CompositeValue.set(value, at: names[...], of: &whole)
        setValue(whole.isEmpty ? nil : whole, forKey: composite.name)
    }

    /// Returns the elements of a value for a composite attribute. One that the model does not have is an undefined key.
    final func acceptedElements(_ value: Any?, _ cells: [Int], _ key: String) -> [String: Any] {
        guard let value = value.flatMap(OptionalContents.unwrapped), !(value is NSNull) else { return [:] }
        guard let elements = value as? [String: Any] else { failOnType(key, "a dictionary of its elements", value) }
        if let stray = CompositeValue.strayPath(in: elements, elements: cells.map { layout.cells[$0].elementPath[...] })
        {
            setValue(value, forUndefinedKey: "\(key).\(stray)")
        }
        return elements
    }

    // MARK: Validation

    /// Checks the elements of a composite attribute that is not nil.
    ///
    /// - Parameters:
    ///   - key: The path of the composite attribute.
    ///   - check: Checks one value against its description.
    final func validateElements(
        of composite: NSCompositeAttributeDescription, _ values: [String: Any], key: String,
        check: (Any?, NSAttributeDescription, String) throws -> Void
    ) throws {
        for element in composite.elements {
            let (value, path) = (values[element.name], "\(key).\(element.name)")
            try check(value is NSNull ? nil : value, element, path)
            guard let nested = element as? NSCompositeAttributeDescription, let values = value as? [String: Any] else {
                continue
            }
            try validateElements(of: nested, values, key: path, check: check)
        }
    }
}
