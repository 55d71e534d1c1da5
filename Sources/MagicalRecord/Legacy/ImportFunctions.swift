import CoreData

/// Returns the date of a text in a pattern, read as GMT, or nil if the text does not match (the original declared the result as
/// nonnull).
@discardableResult
public func MR_dateFromString(_ value: String, _ format: String) -> Date? { ImportDates.date(value, pattern: format) }

/// Returns the date at a number of seconds, or milliseconds, after 1970.
@discardableResult
public func MR_dateFromNumber(_ value: NSNumber, _ milliseconds: Bool) -> Date {
    ImportDates.date(value.doubleValue, milliseconds: milliseconds)
}

/// Returns the date with the local time zone's daylight-saving offset added.
@discardableResult
public func MR_adjustDateForDST(_ date: Date) -> Date {
    date.addingTimeInterval(TimeZone.current.daylightSavingTimeOffset(for: date))
}

/// Returns the number at the beginning of a text, or 0 if there is none. Integers of 64 bits are exact.
@discardableResult
public func MR_numberFromString(_ value: String) -> NSNumber {
    Int64(value).map { NSNumber(value: $0) } ?? NSNumber(value: (value as NSString).doubleValue)
}

/// Returns the text with its first letter in upper case.
@discardableResult
public func MR_attributeNameFromString(_ value: String) -> String { value.capitalizedFirst }

/// Returns the text with its first letter in lower case, followed by `ID`.
@discardableResult
public func MR_primaryKeyNameFromString(_ value: String) -> String {
    value.prefix(1).lowercased() + value.dropFirst() + "ID"
}

/// Returns the color of a text `rgba(red,green,blue,alpha)`: a color object, or an array of four numbers on platforms without
/// UIKit and AppKit; nil for any other text.
@discardableResult
public func MR_colorFromString(_ serializedColor: String) -> Any? { ColorText(serializedColor)?.value }

/// Returns the four components of a color text, which the caller must `free`, or nil for any other text. The components are
/// integers: a fraction of alpha is truncated.
public func MR_newColorComponentsFromString(_ serializedColor: String) -> UnsafeMutablePointer<Int>? {
    guard let color = ColorText(serializedColor), let memory = malloc(4 * MemoryLayout<Int>.stride) else { return nil }
    let components = memory.bindMemory(to: Int.self, capacity: 4)
    for index in 0..<3 { components[index] = clamped((color.components[index] * 255).rounded()) }
    components[3] = clamped(color.components[3].rounded(.towardZero))
    return components
}

/// Returns the number as an integer, clamped to the range of `Int`.
private func clamped(_ number: Double) -> Int { Int(exactly: number) ?? (number > 0 ? .max : number < 0 ? .min : 0) }
