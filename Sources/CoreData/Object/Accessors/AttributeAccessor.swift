import CoreDataRowStorage
import Synchronization

/// An attribute that is found by its name once, for all objects of an entity hierarchy: for code that reads and sets values of
/// many objects by a plan of its own, without a look-up and a box for each.
///
/// It takes the place of `value(forKey:)` and `setValue(_:forKey:)` for numbers, dates and texts, for objects of classes that
/// override none of what these call (``suits(_:)``). What it does not do is said by the result, and left to them. To be
/// used on the queue of the object's context.
package final class AttributeAccessor: Sendable {
    /// A value as the attribute holds it.
    package enum Value {
        case absent
        case integer(Int64)
        case boolean(Bool)
        /// Of dates, the seconds since the reference date.
        case real(Double)
        case single(Float)
        case text(String)
    }

    private let name: String
    private let family: CellFamily
    /// ``PropertyLocation/bits``; 0 while unknown.
    private let location = Atomic<UInt64>(0)

    /// nil for attributes that are neither numbers, dates nor texts, and for transient and derived ones.
    package init?(_ attribute: NSAttributeDescription) {
        let family = CellKind(attribute).family
        guard [.integer, .real, .text].contains(family), !attribute.isTransient,
            !(attribute is NSDerivedAttributeDescription)
        else { return nil }
        self.family = family
        name = attribute.name
    }

    /// Whether key-value coding does nothing for objects of the class but what an accessor does.
    package static func suits(_ type: NSManagedObject.Type) -> Bool { !MethodOverrides.editsValues(type) }

    /// Whether an object has the value; nil if key-value coding has to say.
    package func holds(_ value: Value, in object: NSManagedObject) -> Bool? {
        guard fits(value), let place = place(in: object) else { return nil }
        guard let bits = object.cellBits(place) else {
            if case .absent = value { return true }
            return false
        }
        switch value {
        case .absent: return false
        case .integer(let integer): return Int64(bitPattern: bits) == integer
        case .boolean(let truth): return (bits != 0) == truth
        case .real(let number): return Double(bitPattern: bits) == number
        case .single(let number): return Float(Double(bitPattern: bits)) == number
        case .text(var text):
            let present = object.heapBytes(bits)
            return text.withUTF8 { $0.count == present.count && $0.elementsEqual(present) }
                || text == String._read(object, place)
        }
    }

    /// Sets a value. False if that is left to key-value coding.
    package func set(_ value: Value, of object: NSManagedObject) -> Bool {
        guard fits(value), let place = place(in: object) else { return false }
        if !object._state.contains(.writable) { object.beginChange() }
        guard object._row != nil else { return true }
        switch value {
        case .absent: object.setCellBits(nil, place)
        case .integer(let integer): object.setCellBits(UInt64(bitPattern: integer), place)
        case .boolean(let truth): object.setCellBits(truth ? 1 : 0, place)
        case .real(let number): object.setCellBits(number.bitPattern, place)
        case .single(let number): object.setCellBits(Double(number).bitPattern, place)
        case .text(let text): String._write(text, to: object, place)
        }
        return true
    }

    private func fits(_ value: Value) -> Bool {
        switch value {
        case .absent: true
        case .integer, .boolean: family == .integer
        case .real, .single: family == .real
        case .text: family == .text
        }
    }

    /// Where the value lies in an object, which is realised for it. nil where there is no such place.
    private func place(in object: NSManagedObject) -> ManagedPropertyLocation? {
        let known = PropertyLocation(bits: location.load(ordering: .relaxed))
        if known.tag == object._readTag, known.tag != 0 { return ManagedPropertyLocation(known) }
        guard !object._state.isRecorder, object.realise() else { return nil }
        if known.tag == object.layout.tag, known.tag != 0 { return ManagedPropertyLocation(known) }
        guard let found = object.locate(name, .cell(family)) else { return nil }
        if found.isShared { location.store(found.location.bits, ordering: .relaxed) }
        return ManagedPropertyLocation(found.location)
    }
}
