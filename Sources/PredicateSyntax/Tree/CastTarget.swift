/// The types `CAST` converts to.
package enum CastTarget: String, CaseIterable {
    case date = "NSDate"
    case number = "NSNumber"
    case string = "NSString"
    case decimal = "NSDecimalNumber"
    case uuid = "NSUUID"
    /// A class itself, to be sent messages.
    case `class` = "Class"
}
