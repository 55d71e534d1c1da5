/// The types of the standard library and Foundation that managed properties use, with their modules on Linux.
enum KnownTypes {
    /// Returns the type of a name; nil for an unknown name.
    static func type(named name: String) -> NominalType? { types[name] }

    /// Returns whether a type belongs to the standard library, Foundation or CoreData.
    static func isKnown(_ type: NominalType) -> Bool { modules.contains(type.module) }

    private static let modules: Set<String> = [
        "Swift", "Foundation", "FoundationEssentials", "FoundationNetworking", "CoreData",
    ]

    /// The type aliases, by name.
    static let aliases: [String: TypeSyntax] = [
        "TimeInterval": .named(["Double"], arguments: []),
        "Float64": .named(["Double"], arguments: []),
        "Float32": .named(["Float"], arguments: []),
        "AnyClass": .unsupported("AnyClass"),
    ]

    private static let types: [String: NominalType] = {
        var types: [String: NominalType] = [:]
        func add(_ module: String, _ kind: NominalType.Kind, _ names: String) {
            for name in names.split(separator: " ").map(String.init) {
                types[name] = NominalType(module: module, name: name, kind: kind)
            }
        }
        add(
            "Swift", .structType,
            "Int Int8 Int16 Int32 Int64 Int128 UInt UInt8 UInt16 UInt32 UInt64 UInt128 Bool Double Float Float16 Float80 "
                + "String Character Substring Array Dictionary Set Range ClosedRange AnyHashable ObjectIdentifier Duration "
                + "ContiguousArray ArraySlice StaticString")
        add("Swift", .enumType, "Optional Result Never")
        add("Swift", .protocolType, "Hashable Equatable Comparable Encodable Decodable Error Sendable")
        add(
            "FoundationEssentials", .structType,
            "Date Data UUID URL Decimal Locale Calendar TimeZone DateComponents DateInterval AttributedString IndexPath "
                + "URLComponents URLQueryItem")
        add("FoundationEssentials", .enumType, "ComparisonResult")
        add(
            "Foundation", .structType,
            "IndexSet CharacterSet PersonNameComponents CGFloat CGPoint CGSize CGRect Measurement Notification")
        add(
            "Foundation", .classType,
            "NSObject NSNumber NSDecimalNumber NSString NSMutableString NSDate NSData NSMutableData NSUUID NSURL NSSet "
                + "NSMutableSet NSCountedSet NSOrderedSet NSMutableOrderedSet NSArray NSMutableArray NSDictionary "
                + "NSMutableDictionary NSNull NSValue NSError NSIndexSet NSMutableIndexSet NSIndexPath NSLocale NSTimeZone "
                + "NSCalendar NSDateComponents NSDateInterval NSPersonNameComponents NSAttributedString "
                + "NSMutableAttributedString NSRegularExpression NSCharacterSet NSPredicate NSExpression NSSortDescriptor "
                + "NSURLComponents NSURLQueryItem NSMeasurement Unit Dimension UnitLength UnitMass UnitDuration "
                + "UnitTemperature UnitVolume UnitArea UnitSpeed Progress Bundle Operation OperationQueue")
        add("Foundation", .protocolType, "NSCoding NSCopying NSObjectProtocol NSSecureCoding")
        add("FoundationNetworking", .structType, "URLRequest")
        add("CoreData", .classType, "NSManagedObject NSManagedObjectID NSManagedObjectContext")
        types["NSRange"] = NominalType(module: "Foundation", name: "_NSRange", kind: .structType)
        return types
    }()
}
