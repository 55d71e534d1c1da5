import CoreDataRuntimeSupport
import Foundation
import PredicateFormat

/// The checks of values in batch requests, which no object's accessors have checked.
package struct BatchValueCheck {
    package let layout: EntityLayout

    private var entity: String { layout.name }

    package init(_ layout: EntityLayout) { self.layout = layout }

    /// Returns a value in the form of its attribute's slot: bits, bytes or none.
    ///
    /// - Throws: `NSManagedObjectValidationError` for a value of another type than the attribute's or beyond its range; the
    ///   coder's error for a value that a transformable attribute could not read back.
    package func encoded(_ value: Any?, for cell: EntityLayout.Cell) throws -> CellCoding.Encoded {
        if let value, !Self.isInRange(value, of: cell.kind) { throw outOfRange(value, cell) }
        let encoded = CellCoding.encode(value, as: cell)
        switch encoded {
        case .absent, .bits: return encoded
        case .bytes(let data):
            if cell.kind == .transformable, let value,
                let refusal = cell.coder?.refusal(of: value, bytes: data, in: entity)
            {
                throw refusal
            }
            return encoded
        case .boxed, .mismatch:
            // A transformable attribute also accepts the bytes that its transformer would produce.
            if let coder = cell.coder, let value {
                if let data = value as? Data, coder.value(from: data) != nil { return .bytes(data) }
                if let refusal = coder.refusal(of: value, bytes: nil, in: entity) { throw refusal }
            }
            throw mismatch(value, cell)
        }
    }

    /// Returns true if an attribute of this kind can hold the number, or if the value is not a number. Fractions are dropped,
    /// as by an accessor.
    private static func isInRange(_ value: Any, of kind: CellKind) -> Bool {
        if let range = kind.integerRange, let integer = PlainValue.of(value, as: Int.self) {
            return range.contains(Int64(integer))
        }
        guard kind.integerRange != nil || kind == .float, let number = ClassInstance.number(value) else { return true }
        let double = number.nearestDouble
        guard let range = kind.integerRange else { return !double.isFinite || Float(double).isFinite }
        guard double.isFinite else { return false }
        // Between the range's bound and the next whole number outside it, only the fraction is lost.
        if abs(double) < 9e15 { return double > Double(range.lowerBound) - 1 && double < Double(range.upperBound) + 1 }
        let (one, low, high) = (Decimal(1), Decimal(range.lowerBound), Decimal(range.upperBound))
        guard let decimal = Decimal(shortest: number), !decimal.isNaN else { return false }
        return decimal > low - one && decimal < high + one
    }

    // MARK: Errors

    /// Returns the error for a number that the attribute's type cannot hold.
    package func outOfRange(_ value: Any, _ cell: EntityLayout.Cell) -> NSError {
        let range: Any = cell.kind.integerRange ?? -Float.greatestFiniteMagnitude...Float.greatestFiniteMagnitude
        return misfit(
            cell, reason: "\(layout.name).\(cell.path) takes numbers in \(range), not \(value).",
            advice: "Correct the value, or give the attribute a larger type.")
    }

    private func mismatch(_ value: Any?, _ cell: EntityLayout.Cell) -> NSError {
        let wanted = layout.traits.valueClassName(of: cell) ?? "a value its transformer takes"
        return misfit(
            cell,
            reason: "Unacceptable type of value for attribute: property = \"\(cell.path)\"; desired type = \(wanted); "
                + "given type = \(value.map { "\(type(of: $0))" } ?? "nil").",
            advice: "Convert the value before giving it to the request.")
    }

    /// Returns the error for a value that its attribute cannot hold.
    package func misfit(_ cell: EntityLayout.Cell, reason: String, advice: String) -> NSError {
        CoreDataError.make(
            NSManagedObjectValidationError, description: "A value of the batch request does not fit its attribute.",
            reason: reason, advice: advice, entity: entity, key: cell.path,
            userInfo: [NSValidationKeyErrorKey: cell.path])
    }

    /// Returns the error for a required property without a value.
    package static func missing(_ key: String, of entity: String) -> NSError {
        CoreDataError.make(
            NSValidationMissingMandatoryPropertyError,
            description: "A batch request leaves a required property without a value.",
            reason: "\(entity).\(key) is not optional and has no default value.",
            advice: "Give every row a value for \(key), or make it optional in the model.", entity: entity, key: key,
            userInfo: [NSValidationKeyErrorKey: key])
    }
}

extension CellKind {
    /// The range of an integer attribute; nil for other kinds.
    package var integerRange: ClosedRange<Int64>? {
        switch self {
        case .int16: Int64(Int16.min)...Int64(Int16.max)
        case .int32: Int64(Int32.min)...Int64(Int32.max)
        case .int64: Int64.min...Int64.max
        default: nil
        }
    }
}
