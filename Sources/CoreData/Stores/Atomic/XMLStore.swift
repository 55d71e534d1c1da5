import CoreDataRowStorage
import Foundation

/// The store of ``NSXMLStoreType``: Apple's XML format, which is human-readable.
final class XMLStore: FileStore, @unchecked Sendable {
    override class var format: any StoreFileFormat.Type { XMLFormat.self }
    override var type: String { NSXMLStoreType }
    // All objects of a file share one sequence of numbers, starting with z102.
    override class var lastSharedKey: Int64? { 101 }
    // The format has no row versions: every row has the first version after the store is opened again.
    override var keepsVersions: Bool { false }
}

/// The file format of XML stores, as written by Apple's framework.
///
/// ```xml
/// <database>
///     <databaseInfo>version, UUID, highest object number, metadata as a property list</databaseInfo>
///     <object type="ENTITY" id="z102">
///         <attribute name="name" type="string">value</attribute>
///         <relationship name="friends" type="0/0" destination="ENTITY" idrefs="z103 z104"></relationship>
///     </object>
/// </database>
/// ```
/// Entity names are uppercase and property names lowercase, so names must not differ only in case. Attributes that are nil are
/// omitted. Apple's encoding of types other than texts, 16-bit and Boolean numbers and data is not known; they are written as
/// `int32`, `int64`, `double`, `float`, `decimal`, `date` (seconds since 2001), `uuid`, `uri` and `transformable` (Base64).
/// Text with characters that XML does not allow is Base64-encoded, with `encoding="base64"`.
enum XMLFormat: StoreFileFormat {
    static let version = 134_481_920

    static func typeName(of kind: CellKind) -> String? {
        switch kind {
        case .int16: "int16"
        case .int32: "int32"
        case .int64: "int64"
        case .boolean: "bool"
        case .double: "double"
        case .float: "float"
        case .date: "date"
        case .string: "string"
        case .uri: "uri"
        case .data: "binary"
        case .uuid: "uuid"
        case .decimal: "decimal"
        case .transformable: "transformable"
        case .boxed, .reference: nil
        }
    }

    // MARK: Metadata

    static func metadata(in data: Data) throws -> [String: Any] {
        let head = try Head(data)
        var metadata: [String: Any] = [:]
        if let list = head.propertyList {
            guard
                let read = try? PropertyListSerialization.propertyList(from: data[list], format: nil) as? [String: Any]
            else { throw StoreFileDamage("Its metadata cannot be read.") }
            metadata = read
        }
        metadata[NSStoreTypeKey] = NSXMLStoreType
        metadata[NSStoreUUIDKey] = head.uuid
        return metadata
    }

    static func replacingMetadata(in data: Data, with metadata: [String: Any]) throws -> Data {
        let head = try Head(data)
        var result = Data(data[data.startIndex..<head.info.lowerBound])
        result.append(Data(try databaseInfo(metadata, lastKey: head.lastKey).utf8))
        result.append(data[head.info.upperBound...])
        return result
    }

    /// The part of the file before the objects, found without parsing the rest.
    private struct Head {
        /// `<databaseInfo>` to `</databaseInfo>`.
        let info: Range<Data.Index>
        /// `<plist` to `</plist>`.
        let propertyList: Range<Data.Index>?
        let uuid: String
        let lastKey: Int64

        init(_ data: Data) throws {
            guard let open = data.range(of: Data("<databaseInfo>".utf8)),
                let close = data.range(of: Data("</databaseInfo>".utf8), in: open.upperBound..<data.endIndex)
            else { throw StoreFileDamage("It is not an XML store.", isOtherFormat: true) }
            let info = open.lowerBound..<close.upperBound
            func text(of name: String) -> String? {
                guard let open = data.range(of: Data("<\(name)>".utf8), in: info),
                    let close = data.range(of: Data("</\(name)>".utf8), in: open.upperBound..<info.upperBound)
                else { return nil }
                return String(decoding: data[open.upperBound..<close.lowerBound], as: UTF8.self)
            }
            guard let uuid = text(of: "UUID"), !uuid.isEmpty else { throw StoreFileDamage("It has no UUID.") }
            self.info = info
            self.uuid = uuid
            lastKey = text(of: "nextObjectID").flatMap { Int64($0) } ?? 101
            if let open = data.range(of: Data("<plist".utf8), in: info),
                let close = data.range(of: Data("</plist>".utf8), in: open.upperBound..<info.upperBound)
            {
                propertyList = open.lowerBound..<close.upperBound
            } else {
                propertyList = nil
            }
        }
    }

    static func databaseInfo(_ metadata: [String: Any], lastKey: Int64) throws -> String {
        var kept = metadata
        let uuid = kept.removeValue(forKey: NSStoreUUIDKey) as? String ?? UUID().uuidString
        kept[NSStoreTypeKey] = nil
        let list: Data
        do {
            list = try PropertyListSerialization.data(fromPropertyList: kept, format: .xml, options: 0)
        } catch {
            throw CoreDataError.make(
                NSPersistentStoreSaveError, description: "The metadata of the store cannot be written.",
                reason: "Metadata may hold property-list values only.", underlying: error)
        }
        let lines = String(decoding: list, as: UTF8.self).split(separator: "\n")
            .filter { !$0.hasPrefix("<?xml") && !$0.hasPrefix("<!DOCTYPE") }
            .map { "            " + $0.replacingOccurrences(of: "\t", with: "    ") }
        return """
            <databaseInfo>
                    <version>\(version)</version>
                    <UUID>\(uuid)</UUID>
                    <nextObjectID>\(lastKey)</nextObjectID>
                    <metadata>
            \(lines.joined(separator: "\n"))
                    </metadata>
                </databaseInfo>
            """
    }
}
