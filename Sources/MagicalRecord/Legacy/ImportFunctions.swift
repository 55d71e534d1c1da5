import CoreData

/// The date a text means in the given pattern, read as GMT; `nil` when it does not fit (the original's declaration
/// promised a date).
@discardableResult
public func MR_dateFromString(_ value: String, _ format: String) -> Date? {
    ImportDates.date(value, pattern: format)
}

/// The date so many seconds, or milliseconds, after 1970.
@discardableResult
public func MR_dateFromNumber(_ value: NSNumber, _ milliseconds: Bool) -> Date {
    ImportDates.date(value.doubleValue, milliseconds: milliseconds)
}

/// The date with the local zone's daylight-saving offset added.
@discardableResult
public func MR_adjustDateForDST(_ date: Date) -> Date {
    date.addingTimeInterval(TimeZone.current.daylightSavingTimeOffset(for: date))
}

/// The number at the beginning of a text; 0 when there is none. Whole numbers keep all their digits.
@discardableResult
public func MR_numberFromString(_ value: String) -> NSNumber {
    Int64(value).map { NSNumber(value: $0) } ?? NSNumber(value: (value as NSString).doubleValue)
}

/// The text with its first letter in upper case.
@discardableResult
public func MR_attributeNameFromString(_ value: String) -> String { value.capitalizedFirst }

/// The text with its first letter in lower case, and `ID` behind it.
@discardableResult
public func MR_primaryKeyNameFromString(_ value: String) -> String {
    guard let first = value.first else { return "ID" }
    return first.lowercased() + value.dropFirst() + "ID"
}

/// The colour a text `rgba(red,green,blue,alpha)` means: the platform's, or off Apple's platforms an array of four
/// numbers. `nil` for any other text.
@discardableResult
public func MR_colorFromString(_ serializedColor: String) -> Any? { ColorText(serializedColor)?.value }

/// The four numbers of a colour text, to be freed by the caller with `free`; `nil` for any other text. A fraction of
/// alpha is lost, since these are whole numbers.
public func MR_newColorComponentsFromString(_ serializedColor: String) -> UnsafeMutablePointer<Int>? {
    guard let color = ColorText(serializedColor), let memory = malloc(4 * MemoryLayout<Int>.stride) else { return nil }
    let components = memory.bindMemory(to: Int.self, capacity: 4)
    for index in 0..<3 { components[index] = clamped((color.components[index] * 255).rounded()) }
    components[3] = clamped(color.components[3].rounded(.towardZero))
    return components
}

/// The whole number, or the one nearest to it that there is.
private func clamped(_ number: Double) -> Int {
    Int(exactly: number) ?? (number > 0 ? .max : number < 0 ? .min : 0)
}
