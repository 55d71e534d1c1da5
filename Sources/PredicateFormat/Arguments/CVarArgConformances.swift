import Foundation

// On Apple's platforms every object is a CVarArg, so `NSPredicate(format: "date > %@", date as NSDate)` compiles.
// Off Apple's platforms only strings and numbers are; these conformances add the rest. Predicates receive the values as they
// were passed; only a C argument list (`withVaList`) needs the encodings.

extension NSObject: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] {
        [Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())]
    }
}

extension Date: @retroactive CVarArg, @retroactive _CVarArgObject {
    public var _cVarArgObject: any CVarArg { self as NSDate }
}

extension UUID: @retroactive CVarArg, @retroactive _CVarArgObject {
    public var _cVarArgObject: any CVarArg { self as NSUUID }
}

extension URL: @retroactive CVarArg, @retroactive _CVarArgObject {
    public var _cVarArgObject: any CVarArg { self as NSURL }
}

extension Data: @retroactive CVarArg, @retroactive _CVarArgObject {
    public var _cVarArgObject: any CVarArg { self as NSData }
}

extension Decimal: @retroactive CVarArg, @retroactive _CVarArgObject {
    public var _cVarArgObject: any CVarArg { self as NSDecimalNumber }
}

extension Array: @retroactive CVarArg, @retroactive _CVarArgObject {
    public var _cVarArgObject: any CVarArg { NSArray(array: self) }
}

extension Set: @retroactive CVarArg, @retroactive _CVarArgObject {
    public var _cVarArgObject: any CVarArg { NSSet(array: Array(self)) }
}

extension Dictionary: @retroactive CVarArg, @retroactive _CVarArgObject {
    public var _cVarArgObject: any CVarArg {
        let dictionary = NSMutableDictionary()
        for (key, value) in self {
            dictionary[key] = value
        }
        return dictionary
    }
}

/// Values that a C argument list holds as a pointer to an object.
extension _CVarArgObject {
    public var _cVarArgEncoding: [Int] {
        fatalError("A value type is encoded through its object, which keeps it alive")
    }
}
