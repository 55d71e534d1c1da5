/// The target types of `CAST`.
package enum CastTarget: String, CaseIterable {
    case date = "NSDate"
    case number = "NSNumber"
    case string = "NSString"
    case decimal = "NSDecimalNumber"
    case uuid = "NSUUID"
    /// A class, as a receiver of messages.
    case `class` = "Class"
}
