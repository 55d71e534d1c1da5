/// Sources with managed members, and the symbols swiftc 6.3 leaves undefined when it compiles them on Linux.
///
/// To renew: compile a source together with a module CoreData that has `NSManagedObject`, with `-module-name App`, and list
/// the object file's undefined symbols (`nm -u`).
enum MangledSources {
    /// Every type a property may have, in a file named `probe.swift`.
    static let types = #"""
        import Foundation
        import CoreData

        public class User: NSManagedObject {
            @NSManaged public var name: String?
            @NSManaged public var plain: String
            @NSManaged public var a16: Int16
            @NSManaged public var a32: Int32
            @NSManaged public var a64: Int64
            @NSManaged public var int: Int
            @NSManaged public var uint: UInt
            @NSManaged public var bool: Bool
            @NSManaged public var dbl: Double
            @NSManaged public var flt: Float
            @NSManaged public var interval: TimeInterval
            @NSManaged public var date: Date?
            @NSManaged public var date2: Date
            @NSManaged public var data: Data?
            @NSManaged public var uuid: UUID?
            @NSManaged public var url: URL?
            @NSManaged public var dec: Decimal
            @NSManaged public var nsdec: NSDecimalNumber?
            @NSManaged public var num: NSNumber?
            @NSManaged public var nsstr: NSString?
            @NSManaged public var nsdate: NSDate?
            @NSManaged public var nsdata: NSData?
            @NSManaged public var nsuuid: NSUUID?
            @NSManaged public var nsurl: NSURL?
            @NSManaged public var nsset: NSSet?
            @NSManaged public var nsoset: NSOrderedSet?
            @NSManaged public var nsarr: NSArray?
            @NSManaged public var nsdict: NSDictionary?
            @NSManaged public var obj: NSObject?
            @NSManaged public var anyo: AnyObject?
            @NSManaged public var mo: NSManagedObject?
            @NSManaged public var moid: NSManagedObjectID?
            @NSManaged public var friends: Set<User>
            @NSManaged public var friendsO: Set<User>?
            @NSManaged public var books: Set<Book>
            @NSManaged public var booksA: [Book]
            @NSManaged public var book: Book?
            @NSManaged public var me: User?
            @NSManaged public var tags: [String]?
            @NSManaged public var dict: [String: Any]?
            @NSManaged public var dict2: [String: String]
            @NSManaged public var dict3: [String: Int]?
            @NSManaged public var dict4: [AnyHashable: Any]?
            @NSManaged public var iuo: String!
            @NSManaged public var anyv: Any?
            @NSManaged public var nested: Inner?
            @NSManaged public var arrset: [Set<User>]
            @NSManaged public var setb: Set<NSManagedObject>
            @NSManaged public var opts: [String?]
            @NSManaged var internalVar: String?
            @NSManaged public private(set) var readOnlyish: String?
            @NSManaged public fileprivate(set) var readOnlyish2: String?
            @NSManaged public var primitiveName: String?
            @NSManaged public var a: Int, b: String
            @NSManaged public var attr: AttributedString?
            @NSManaged public var attrs: NSAttributedString?
            @NSManaged public var userUser: String?
            @NSManaged public var httpURLString: String?
            @NSManaged public var user_name2: String?
            @NSManaged public var color: Color?
            @NSManaged public var kind: Kind
            @NSManaged public var err: NSError?
            @NSManaged public var loc: Locale?
            @NSManaged public var idx: IndexSet?
            @NSManaged public var ns: NSIndexSet?
            @NSManaged public var dc: DateComponents?
            @NSManaged public var nsnull: NSNull?
            @NSManaged public var ms: NSMutableSet?
            @NSManaged public var range: Range<Int>?
            @NSManaged public func addToBooks(_ value: Book)
            @NSManaged public func removeFromBooks(_ value: Book)
            @NSManaged public func addToBooks(_ values: NSSet)
            @NSManaged public func removeFromBooks(_ values: NSSet)
            @NSManaged public func insertIntoBooks(_ value: Book, at idx: Int)
            @NSManaged public func removeFromBooks(at idx: Int)
            @NSManaged public func insertIntoBooks(_ values: [Book], at indexes: NSIndexSet)
            @NSManaged public func removeFromBooks(at indexes: NSIndexSet)
            @NSManaged public func replaceBooks(at idx: Int, with value: Book)
            @NSManaged public func replaceBooks(at indexes: NSIndexSet, with values: [Book])
            @NSManaged public func addToFriends(_ value: User)
            @NSManaged public func addToFriends(_ values: Set<User>)
            @NSManaged public func addToBooksO(_ values: NSOrderedSet)
            @NSManaged func addBooksObject(_ value: Book)
            public class Inner: NSManagedObject {
                @NSManaged public var up: User?
                @NSManaged public var inner: Inner?
                @NSManaged public var text: String?
                @NSManaged public var users: Set<User>
            }
        }
        public class Book: NSManagedObject {
            @NSManaged public var owner: User?
            @NSManaged public var bookBook: Book?
            @NSManaged public var list: [Book]?
        }
        extension User {
            @NSManaged public var extra: String?
            @NSManaged public var extraUser: User?
            @NSManaged public var extraSet: Set<User>
            @NSManaged public func addToExtra(_ value: User)
        }
        extension User.Inner {
            @NSManaged public var extra2: String?
            @NSManaged public var extra3: User.Inner?
        }
        public class Color: NSObject {}
        public struct Kind {}
        public enum Space {
            public class Deep: NSManagedObject {
                @NSManaged public var deepUser: User?
                @NSManaged public var deepDeep: Deep?
            }
        }
        func use(_ u: User) { u.addToExtra(u) }
        """#

    /// What `types` needs.
    static let typeSymbols = #"""
        $s3App4BookC04bookB0ACSgvg
        $s3App4BookC04bookB0ACSgvs
        $s3App4BookC4listSayACGSgvg
        $s3App4BookC4listSayACGSgvs
        $s3App4BookC5ownerAA4UserCSgvg
        $s3App4BookC5ownerAA4UserCSgvs
        $s3App4UserC04userB0SSSgvg
        $s3App4UserC04userB0SSSgvs
        $s3App4UserC05extraB0ACSgvg
        $s3App4UserC05extraB0ACSgvs
        $s3App4UserC10addToBooksyy10Foundation5NSSetCF
        $s3App4UserC10addToBooksyyAA4BookCF
        $s3App4UserC10addToExtrayyACF
        $s3App4UserC10user_name2SSSgvg
        $s3App4UserC10user_name2SSSgvs
        $s3App4UserC11addToBooksOyy10Foundation12NSOrderedSetCF
        $s3App4UserC11internalVarSSSgvg
        $s3App4UserC11internalVarSSSgvs
        $s3App4UserC11readOnlyishSSSgvg
        $s3App4UserC11readOnlyishSSSgvs
        $s3App4UserC12addToFriendsyyACF
        $s3App4UserC12addToFriendsyyShyACGF
        $s3App4UserC12readOnlyish2SSSgvg
        $s3App4UserC12readOnlyish2SSSgvs
        $s3App4UserC12replaceBooks2at4withy10Foundation10NSIndexSetC_SayAA4BookCGtF
        $s3App4UserC12replaceBooks2at4withySi_AA4BookCtF
        $s3App4UserC13httpURLStringSSSgvg
        $s3App4UserC13httpURLStringSSSgvs
        $s3App4UserC13primitiveNameSSSgvg
        $s3App4UserC13primitiveNameSSSgvs
        $s3App4UserC14addBooksObjectyyAA4BookCF
        $s3App4UserC15insertIntoBooks_2atyAA4BookC_SitF
        $s3App4UserC15insertIntoBooks_2atySayAA4BookCG_10Foundation10NSIndexSetCtF
        $s3App4UserC15removeFromBooks2aty10Foundation10NSIndexSetC_tF
        $s3App4UserC15removeFromBooks2atySi_tF
        $s3App4UserC15removeFromBooksyy10Foundation5NSSetCF
        $s3App4UserC15removeFromBooksyyAA4BookCF
        $s3App4UserC1aSivg
        $s3App4UserC1aSivs
        $s3App4UserC1bSSvg
        $s3App4UserC1bSSvs
        $s3App4UserC2dc20FoundationEssentials14DateComponentsVSgvg
        $s3App4UserC2dc20FoundationEssentials14DateComponentsVSgvs
        $s3App4UserC2meACSgvg
        $s3App4UserC2meACSgvs
        $s3App4UserC2mo8CoreData15NSManagedObjectCSgvg
        $s3App4UserC2mo8CoreData15NSManagedObjectCSgvs
        $s3App4UserC2ms10Foundation12NSMutableSetCSgvg
        $s3App4UserC2ms10Foundation12NSMutableSetCSgvs
        $s3App4UserC2ns10Foundation10NSIndexSetCSgvg
        $s3App4UserC2ns10Foundation10NSIndexSetCSgvs
        $s3App4UserC3a16s5Int16Vvg
        $s3App4UserC3a16s5Int16Vvs
        $s3App4UserC3a32s5Int32Vvg
        $s3App4UserC3a32s5Int32Vvs
        $s3App4UserC3a64s5Int64Vvg
        $s3App4UserC3a64s5Int64Vvs
        $s3App4UserC3dblSdvg
        $s3App4UserC3dblSdvs
        $s3App4UserC3dec20FoundationEssentials7DecimalVvg
        $s3App4UserC3dec20FoundationEssentials7DecimalVvs
        $s3App4UserC3err10Foundation7NSErrorCSgvg
        $s3App4UserC3err10Foundation7NSErrorCSgvs
        $s3App4UserC3fltSfvg
        $s3App4UserC3fltSfvs
        $s3App4UserC3idx10Foundation8IndexSetVSgvg
        $s3App4UserC3idx10Foundation8IndexSetVSgvs
        $s3App4UserC3intSivg
        $s3App4UserC3intSivs
        $s3App4UserC3iuoSSSgvg
        $s3App4UserC3iuoSSSgvs
        $s3App4UserC3loc20FoundationEssentials6LocaleVSgvg
        $s3App4UserC3loc20FoundationEssentials6LocaleVSgvs
        $s3App4UserC3num10Foundation8NSNumberCSgvg
        $s3App4UserC3num10Foundation8NSNumberCSgvs
        $s3App4UserC3obj10Foundation8NSObjectCSgvg
        $s3App4UserC3obj10Foundation8NSObjectCSgvs
        $s3App4UserC3url20FoundationEssentials3URLVSgvg
        $s3App4UserC3url20FoundationEssentials3URLVSgvs
        $s3App4UserC4anyoyXlSgvg
        $s3App4UserC4anyoyXlSgvs
        $s3App4UserC4anyvypSgvg
        $s3App4UserC4anyvypSgvs
        $s3App4UserC4attr20FoundationEssentials16AttributedStringVSgvg
        $s3App4UserC4attr20FoundationEssentials16AttributedStringVSgvs
        $s3App4UserC4bookAA4BookCSgvg
        $s3App4UserC4bookAA4BookCSgvs
        $s3App4UserC4boolSbvg
        $s3App4UserC4boolSbvs
        $s3App4UserC4data20FoundationEssentials4DataVSgvg
        $s3App4UserC4data20FoundationEssentials4DataVSgvs
        $s3App4UserC4date20FoundationEssentials4DateVSgvg
        $s3App4UserC4date20FoundationEssentials4DateVSgvs
        $s3App4UserC4dictSDySSypGSgvg
        $s3App4UserC4dictSDySSypGSgvs
        $s3App4UserC4kindAA4KindVvg
        $s3App4UserC4kindAA4KindVvs
        $s3App4UserC4moid8CoreData17NSManagedObjectIDCSgvg
        $s3App4UserC4moid8CoreData17NSManagedObjectIDCSgvs
        $s3App4UserC4nameSSSgvg
        $s3App4UserC4nameSSSgvs
        $s3App4UserC4optsSaySSSgGvg
        $s3App4UserC4optsSaySSSgGvs
        $s3App4UserC4setbShy8CoreData15NSManagedObjectCGvg
        $s3App4UserC4setbShy8CoreData15NSManagedObjectCGvs
        $s3App4UserC4tagsSaySSGSgvg
        $s3App4UserC4tagsSaySSGSgvs
        $s3App4UserC4uintSuvg
        $s3App4UserC4uintSuvs
        $s3App4UserC4uuid20FoundationEssentials4UUIDVSgvg
        $s3App4UserC4uuid20FoundationEssentials4UUIDVSgvs
        $s3App4UserC5InnerC2upACSgvg
        $s3App4UserC5InnerC2upACSgvs
        $s3App4UserC5InnerC4textSSSgvg
        $s3App4UserC5InnerC4textSSSgvs
        $s3App4UserC5InnerC5innerAESgvg
        $s3App4UserC5InnerC5innerAESgvs
        $s3App4UserC5InnerC5usersShyACGvg
        $s3App4UserC5InnerC5usersShyACGvs
        $s3App4UserC5InnerC6extra2SSSgvg
        $s3App4UserC5InnerC6extra2SSSgvs
        $s3App4UserC5InnerC6extra3AESgvg
        $s3App4UserC5InnerC6extra3AESgvs
        $s3App4UserC5attrs10Foundation18NSAttributedStringCSgvg
        $s3App4UserC5attrs10Foundation18NSAttributedStringCSgvs
        $s3App4UserC5booksShyAA4BookCGvg
        $s3App4UserC5booksShyAA4BookCGvs
        $s3App4UserC5colorAA5ColorCSgvg
        $s3App4UserC5colorAA5ColorCSgvs
        $s3App4UserC5date220FoundationEssentials4DateVvg
        $s3App4UserC5date220FoundationEssentials4DateVvs
        $s3App4UserC5dict2SDyS2SGvg
        $s3App4UserC5dict2SDyS2SGvs
        $s3App4UserC5dict3SDySSSiGSgvg
        $s3App4UserC5dict3SDySSSiGSgvs
        $s3App4UserC5dict4SDys11AnyHashableVypGSgvg
        $s3App4UserC5dict4SDys11AnyHashableVypGSgvs
        $s3App4UserC5extraSSSgvg
        $s3App4UserC5extraSSSgvs
        $s3App4UserC5nsarr10Foundation7NSArrayCSgvg
        $s3App4UserC5nsarr10Foundation7NSArrayCSgvs
        $s3App4UserC5nsdec10Foundation15NSDecimalNumberCSgvg
        $s3App4UserC5nsdec10Foundation15NSDecimalNumberCSgvs
        $s3App4UserC5nsset10Foundation5NSSetCSgvg
        $s3App4UserC5nsset10Foundation5NSSetCSgvs
        $s3App4UserC5nsstr10Foundation8NSStringCSgvg
        $s3App4UserC5nsstr10Foundation8NSStringCSgvs
        $s3App4UserC5nsurl10Foundation5NSURLCSgvg
        $s3App4UserC5nsurl10Foundation5NSURLCSgvs
        $s3App4UserC5plainSSvg
        $s3App4UserC5plainSSvs
        $s3App4UserC5rangeSnySiGSgvg
        $s3App4UserC5rangeSnySiGSgvs
        $s3App4UserC6arrsetSayShyACGGvg
        $s3App4UserC6arrsetSayShyACGGvs
        $s3App4UserC6booksASayAA4BookCGvg
        $s3App4UserC6booksASayAA4BookCGvs
        $s3App4UserC6nestedAC5InnerCSgvg
        $s3App4UserC6nestedAC5InnerCSgvs
        $s3App4UserC6nsdata10Foundation6NSDataCSgvg
        $s3App4UserC6nsdata10Foundation6NSDataCSgvs
        $s3App4UserC6nsdate10Foundation6NSDateCSgvg
        $s3App4UserC6nsdate10Foundation6NSDateCSgvs
        $s3App4UserC6nsdict10Foundation12NSDictionaryCSgvg
        $s3App4UserC6nsdict10Foundation12NSDictionaryCSgvs
        $s3App4UserC6nsnull10Foundation6NSNullCSgvg
        $s3App4UserC6nsnull10Foundation6NSNullCSgvs
        $s3App4UserC6nsoset10Foundation12NSOrderedSetCSgvg
        $s3App4UserC6nsoset10Foundation12NSOrderedSetCSgvs
        $s3App4UserC6nsuuid10Foundation6NSUUIDCSgvg
        $s3App4UserC6nsuuid10Foundation6NSUUIDCSgvs
        $s3App4UserC7friendsShyACGvg
        $s3App4UserC7friendsShyACGvs
        $s3App4UserC8extraSetShyACGvg
        $s3App4UserC8extraSetShyACGvs
        $s3App4UserC8friendsOShyACGSgvg
        $s3App4UserC8friendsOShyACGSgvs
        $s3App4UserC8intervalSdvg
        $s3App4UserC8intervalSdvs
        $s3App5SpaceO4DeepC04deepC0AESgvg
        $s3App5SpaceO4DeepC04deepC0AESgvs
        $s3App5SpaceO4DeepC8deepUserAA0E0CSgvg
        $s3App5SpaceO4DeepC8deepUserAA0E0CSgvs
        """#

    /// Words that repeat, access levels, nesting and extensions, in a file named `Members.swift`.
    static let members = #"""
        import CoreData
        import Other

        public protocol Shape {}
        public protocol Other2: AnyObject {}
        enum Kind: Int16 { case a }
        struct Box<T> { var value: T }
        typealias Names = [String]
        class AppModel: NSManagedObject {
            @NSManaged var app: String?
            @NSManaged var appModel: AppModel?
            @NSManaged var modelApp: Set<AppModel>
            @NSManaged var kind: Kind
            @NSManaged var box: Box<String>?
            @NSManaged var boxes: [Box<AppModel>]
            @NSManaged var names: Names?
            @NSManaged var shape: (any Shape)?
            @NSManaged var pair: (any Shape & Other2)?
            @NSManaged var coded: (any Codable)?
            @NSManaged var anything: Any
            @NSManaged var some_snake_case: String
            @NSManaged var `default`: String?
            @NSManaged var payload: Payload?
            @NSManaged var remote: Remote?
            @NSManaged var remotes: Set<Remote>?
            @NSManaged var payloadRemote: [String: Payload]?
            @NSManaged var nestedArrays: [[String: [Int]]]?
            @NSManaged var counted: [String?: Set<AppModel>?]?
            @NSManaged private var secret: String?
            @NSManaged fileprivate var fileSecret: AppModel?
            @NSManaged public private(set) var guarded: Int
            @NSManaged var anApp, bApp: String?
            @NSManaged var HTTPServer: String?
            @NSManaged var aB: Int
            @NSManaged var x9Y: Int
            @NSManaged var range: NSRange
            @NSManaged var point: CGPoint
            @NSManaged func addToModelApp(_ value: AppModel)
            @NSManaged func addToModelApp(_ values: Set<AppModel>)
            @NSManaged func replaceModelApp(at index: Int, with value: AppModel)
            @NSManaged func insertObject(_ value: AppModel, inModelAppAtIndex index: Int)
            @NSManaged private func removeFromModelApp(_ value: AppModel)
            class Part: NSManagedObject {
                @NSManaged var whole: AppModel?
                @NSManaged var parts: Set<Part>
                struct Detail {}
                @NSManaged var detail: Detail?
                private class Hidden: NSManagedObject {
                    @NSManaged var part: Part?
                    @NSManaged private var inner: String?
                }
            }
        }
        extension AppModel {
            @NSManaged var inExtension: AppModel.Part?
        }
        private extension AppModel {
            @NSManaged var inPrivateExtension: String?
        }
        extension AppModel.Part {
            @NSManaged var partOfPart: AppModel.Part?
        }
        extension Remote {
            @NSManaged var fromApp: String?
            @NSManaged var remoteApp: AppModel?
            @NSManaged func addToRemoteApp(_ value: Remote)
        }
        fileprivate class Shy: NSManagedObject {
            @NSManaged var name: String?
        }
        class Outer: NSManagedObject {
            class Outer2: NSManagedObject {
                class Remote: NSManagedObject {}
                @NSManaged var Outer2: Outer2?
                @NSManaged var Payload: [String: Payload]
                @NSManaged var remote: Remote?
            }
            @NSManaged var Outer: Outer?
            @NSManaged var App: Other.Remote?
            @NSManaged var other: Other.Payload?
            @NSManaged var outers: Set<Outer2.Remote>
            @NSManaged func addToOuters(_ outers: Outer2.Remote)
            @NSManaged func replaceOuters(at Outer: Int, with Outer2: Outer2.Remote)
        }
        func use(_ a: AppModel, _ r: Remote) {
            a.inPrivateExtension = a.inPrivateExtension
            r.addToRemoteApp(r)
        }
        """#

    /// What `members` needs.
    static let memberSymbols = #"""
        $s3App0A5ModelC010removeFrombA033_762D14201A16E2912709DBAFFF1D64AALLyyACF
        $s3App0A5ModelC01bA0SSSgvg
        $s3App0A5ModelC01bA0SSSgvs
        $s3App0A5ModelC02anA0SSSgvg
        $s3App0A5ModelC02anA0SSSgvs
        $s3App0A5ModelC03appB0ACSgvg
        $s3App0A5ModelC03appB0ACSgvs
        $s3App0A5ModelC05addTobA0yyACF
        $s3App0A5ModelC05addTobA0yyShyACGF
        $s3App0A5ModelC05modelA0ShyACGvg
        $s3App0A5ModelC05modelA0ShyACGvs
        $s3App0A5ModelC07replacebA02at4withySi_ACtF
        $s3App0A5ModelC10HTTPServerSSSgvg
        $s3App0A5ModelC10HTTPServerSSSgvs
        $s3App0A5ModelC10fileSecret33_762D14201A16E2912709DBAFFF1D64AALLACSgvg
        $s3App0A5ModelC10fileSecret33_762D14201A16E2912709DBAFFF1D64AALLACSgvs
        $s3App0A5ModelC11inExtensionAC4PartCSgvg
        $s3App0A5ModelC11inExtensionAC4PartCSgvs
        $s3App0A5ModelC12insertObject_02inbA7AtIndexyAC_SitF
        $s3App0A5ModelC12nestedArraysSaySDySSSaySiGGGSgvg
        $s3App0A5ModelC12nestedArraysSaySDySSSaySiGGGSgvs
        $s3App0A5ModelC13payloadRemoteSDySS5Other7PayloadCGSgvg
        $s3App0A5ModelC13payloadRemoteSDySS5Other7PayloadCGSgvs
        $s3App0A5ModelC15some_snake_caseSSvg
        $s3App0A5ModelC15some_snake_caseSSvs
        $s3App0A5ModelC18inPrivateExtension33_762D14201A16E2912709DBAFFF1D64AALLSSSgvg
        $s3App0A5ModelC18inPrivateExtension33_762D14201A16E2912709DBAFFF1D64AALLSSSgvs
        $s3App0A5ModelC2aBSivg
        $s3App0A5ModelC2aBSivs
        $s3App0A5ModelC3appSSSgvg
        $s3App0A5ModelC3appSSSgvs
        $s3App0A5ModelC3boxAA3BoxVySSGSgvg
        $s3App0A5ModelC3boxAA3BoxVySSGSgvs
        $s3App0A5ModelC3x9YSivg
        $s3App0A5ModelC3x9YSivs
        $s3App0A5ModelC4PartC06partOfC0AESgvg
        $s3App0A5ModelC4PartC06partOfC0AESgvs
        $s3App0A5ModelC4PartC5partsShyAEGvg
        $s3App0A5ModelC4PartC5partsShyAEGvs
        $s3App0A5ModelC4PartC5wholeACSgvg
        $s3App0A5ModelC4PartC5wholeACSgvs
        $s3App0A5ModelC4PartC6Hidden33_762D14201A16E2912709DBAFFF1D64AALLC4partAESgvg
        $s3App0A5ModelC4PartC6Hidden33_762D14201A16E2912709DBAFFF1D64AALLC4partAESgvs
        $s3App0A5ModelC4PartC6Hidden33_762D14201A16E2912709DBAFFF1D64AALLC5innerSSSgvg
        $s3App0A5ModelC4PartC6Hidden33_762D14201A16E2912709DBAFFF1D64AALLC5innerSSSgvs
        $s3App0A5ModelC4PartC6detailAE6DetailVSgvg
        $s3App0A5ModelC4PartC6detailAE6DetailVSgvs
        $s3App0A5ModelC4kindAA4KindOvg
        $s3App0A5ModelC4kindAA4KindOvs
        $s3App0A5ModelC4pairAA6Other2_AA5ShapepSgvg
        $s3App0A5ModelC4pairAA6Other2_AA5ShapepSgvs
        $s3App0A5ModelC5boxesSayAA3BoxVyACGGvg
        $s3App0A5ModelC5boxesSayAA3BoxVyACGGvs
        $s3App0A5ModelC5codedSe_SEpSgvg
        $s3App0A5ModelC5codedSe_SEpSgvs
        $s3App0A5ModelC5namesSaySSGSgvg
        $s3App0A5ModelC5namesSaySSGSgvs
        $s3App0A5ModelC5point10Foundation7CGPointVvg
        $s3App0A5ModelC5point10Foundation7CGPointVvs
        $s3App0A5ModelC5range10Foundation8_NSRangeVvg
        $s3App0A5ModelC5range10Foundation8_NSRangeVvs
        $s3App0A5ModelC5shapeAA5Shape_pSgvg
        $s3App0A5ModelC5shapeAA5Shape_pSgvs
        $s3App0A5ModelC6remote5Other6RemoteCSgvg
        $s3App0A5ModelC6remote5Other6RemoteCSgvs
        $s3App0A5ModelC6secret33_762D14201A16E2912709DBAFFF1D64AALLSSSgvg
        $s3App0A5ModelC6secret33_762D14201A16E2912709DBAFFF1D64AALLSSSgvs
        $s3App0A5ModelC7countedSDySSSgShyACGSgGSgvg
        $s3App0A5ModelC7countedSDySSSgShyACGSgGSgvs
        $s3App0A5ModelC7defaultSSSgvg
        $s3App0A5ModelC7defaultSSSgvs
        $s3App0A5ModelC7guardedSivg
        $s3App0A5ModelC7guardedSivs
        $s3App0A5ModelC7payload5Other7PayloadCSgvg
        $s3App0A5ModelC7payload5Other7PayloadCSgvs
        $s3App0A5ModelC7remotesShy5Other6RemoteCGSgvg
        $s3App0A5ModelC7remotesShy5Other6RemoteCGSgvs
        $s3App0A5ModelC8anythingypvg
        $s3App0A5ModelC8anythingypvs
        $s3App3Shy33_762D14201A16E2912709DBAFFF1D64AALLC4nameSSSgvg
        $s3App3Shy33_762D14201A16E2912709DBAFFF1D64AALLC4nameSSSgvs
        $s3App5OuterC11addToOutersyyAC6Outer2C6RemoteCF
        $s3App5OuterC13replaceOuters2at4withySi_AC6Outer2C6RemoteCtF
        $s3App5OuterC5other5Other7PayloadCSgvg
        $s3App5OuterC5other5Other7PayloadCSgvs
        $s3App5OuterC6Outer2C6remoteAE6RemoteCSgvg
        $s3App5OuterC6Outer2C6remoteAE6RemoteCSgvs
        $s3App5OuterC6Outer2C7PayloadSDySS5OtherAFCGvg
        $s3App5OuterC6Outer2C7PayloadSDySS5OtherAFCGvs
        $s3App5OuterC6Outer2CAdESgvg
        $s3App5OuterC6Outer2CAdESgvs
        $s3App5OuterC6outersShyAC6Outer2C6RemoteCGvg
        $s3App5OuterC6outersShyAC6Outer2C6RemoteCGvs
        $s3App5OuterCAA5Other6RemoteCSgvg
        $s3App5OuterCAA5Other6RemoteCSgvs
        $s3App5OuterCAbCSgvg
        $s3App5OuterCAbCSgvs
        $s5Other6RemoteC3AppE04fromC0SSSgvg
        $s5Other6RemoteC3AppE04fromC0SSSgvs
        $s5Other6RemoteC3AppE05addTobC0yyACF
        $s5Other6RemoteC3AppE06remoteC0AD0C5ModelCSgvg
        $s5Other6RemoteC3AppE06remoteC0AD0C5ModelCSgvs
        """#

    /// The module `Other` that `members` imports.
    static let other = #"""
        import CoreData
        open class Remote: NSManagedObject {}
        public class Payload: NSObject {}
        """#
}
