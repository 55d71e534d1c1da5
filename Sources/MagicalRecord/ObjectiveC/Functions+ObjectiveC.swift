#if canImport(ObjectiveC)
import CoreData

// Implementations of the functions, macros and constants of MagicalRecordObjC, which declares these selectors for itself.

extension MagicalRecord {
    @objc(MR_versionFollowed)
    class func objc_versionFollowed() -> UInt { version().rawValue }

    @objc(MR_logKind:message:)
    class func objc_log(_ kind: UInt, _ message: String) {
        MagicalRecordLoggingMask(rawValue: kind).map { Log.write($0) { message } }
    }

    @objc(MR_dateFromText:pattern:)
    class func objc_date(_ text: String, _ pattern: String) -> Date? { MR_dateFromString(text, pattern) }

    @objc(MR_dateFromSeconds:milliseconds:)
    class func objc_date(_ number: NSNumber, _ milliseconds: Bool) -> Date { MR_dateFromNumber(number, milliseconds) }

    @objc(MR_dateWithDaylightSaving:)
    class func objc_date(_ date: Date) -> Date { MR_adjustDateForDST(date) }

    @objc(MR_numberFromText:)
    class func objc_number(_ text: String) -> NSNumber { MR_numberFromString(text) }

    @objc(MR_attributeNameFromText:)
    class func objc_attributeName(_ text: String) -> String { MR_attributeNameFromString(text) }

    @objc(MR_primaryKeyNameFromText:)
    class func objc_primaryKeyName(_ text: String) -> String { MR_primaryKeyNameFromString(text) }

    @objc(MR_colorFromText:)
    class func objc_color(_ text: String) -> Any? { MR_colorFromString(text) }

    @objc(MR_colorComponentsFromText:)
    class func objc_colorComponents(_ text: String) -> UnsafeMutablePointer<Int>? {
        MR_newColorComponentsFromString(text)
    }
}
#endif
