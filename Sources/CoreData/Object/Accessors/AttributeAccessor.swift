import CoreDataRowStorage
import Synchronization

/// An accessor of an attribute that is looked up once for all objects of an entity hierarchy: for code that reads and sets
/// values of many objects, without a lookup and boxing for each.
///
/// Replaces `value(forKey:)` and `setValue(_:forKey:)` for numbers, dates and strings, for classes that do not override the
/// functions that these call (``suits(_:)``). Results tell which cases must be left to key-value coding. Must be used on the
/// queue of the object's context.
package final class AttributeAccessor: Sendable {
    /// A value as it is stored in the attribute's cell.
    package enum Value {
        case absent
        case integer(Int64)
        case boolean(Bool)
        /// A number, or the seconds of a date since the reference date.
        case real(Double)
        case single(Float)
        case text(String)
    }

    private let name: String
    private let family: CellFamily
    /// The ``PropertyLocation/bits``; 0 while unknown.
    private let location = Atomic<UInt64>(0)

    /// Creates an accessor; nil for attributes that are neither numbers, dates nor strings, and for transient and derived ones.
    package init?(_ attribute: NSAttributeDescription) {
        let family = CellKind(attribute).family
        guard [.integer, .real, .text].contains(family), !attribute.isTransient,
            !(attribute is NSDerivedAttributeDescription)
        else { return nil }
        self.family = family
        name = attribute.name
    }

    /// Returns true if an accessor does the same as key-value coding for objects of the class.
    package static func suits(_ type: NSManagedObject.Type) -> Bool { !MethodOverrides.editsValues(type) }

    /// Returns whether an object has the value; nil if key-value coding must decide.
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

    /// Sets a value. Returns false if key-value coding must set it.
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

    /// Returns the location of the value in an object, after realizing it; nil if there is none.
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
