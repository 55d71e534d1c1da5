import CoreData

extension Target {
    /// Archived values of transformable attributes, which other programs may have written into a store.
    static let archives = Target(
        name: "archives",
        words: [
            "$objects", "$class", "$classes", "$classname", "NS.keys", "NS.objects", "NS.time", "NS.string", "NS.base",
            "NSSet", "NSURL", "NSUUID", "NSDate", "NSNull", "NSDecimalNumber", "NSOrderedSet", "NSMutableString",
        ],
        seeds: {
            let values: [Any] = [
                ["list": ["a", 1, 2.5, true], "data": Data(0..<9)] as [String: Any], "text",
                [URL(string: "b", relativeTo: URL(string: "https://a.b/"))!, UUID(), Date(timeIntervalSince1970: 7)],
                NSSet(array: [NSNull(), "a"]), [NSDecimalNumber(string: "-12.50"), NSOrderedSet(array: [1, 2])],
            ]
            return try values.map { value in
                guard let data = transformer.reverseTransformedValue(value) as? Data else { throw Refused() }
                return data
            }
        },
        read: { data in
            guard let value = transformer.transformedValue(data) else { throw Refused() }
            guard let again = transformer.reverseTransformedValue(value) as? Data else { throw Refused() }
            require(transformer.transformedValue(again) != nil, "The archive of \(value) cannot be read.")
        })

    private static let transformer =
        ValueTransformer.valueTransformer(forName: .secureUnarchiveFromDataTransformerName)!
}
