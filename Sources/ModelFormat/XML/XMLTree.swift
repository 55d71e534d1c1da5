import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// An XML element with everything below it.
struct XMLElementNode {
    var name: String
    var attributes: [String: String]
    var children: [XMLElementNode] = []
    /// The text directly inside the element.
    var text = ""
    var line: Int

    func children(named name: String) -> [XMLElementNode] { children.filter { $0.name == name } }
    func child(named name: String) -> XMLElementNode? { children.first { $0.name == name } }
}

/// Reads an XML document to a tree, with limits: no entity declarations, no deep nesting, few errors.
final class XMLTreeReader: NSObject, XMLParserDelegate {
    private static let depthLimit = 64
    private var errors = XMLErrorLimit()
    private var open: [XMLElementNode] = []
    private var root: XMLElementNode?
    private var failure: ModelFormatError?
    private let keepsText: Bool

    private init(keepsText: Bool) { self.keepsText = keepsText }

    /// Reads the root element of a document. If `keepsText` is false, text is dropped, which models do not use.
    static func read(_ data: Data, file: String?, keepsText: Bool = false) throws(ModelFormatError) -> XMLElementNode {
        if let reason = forbidden(data) {
            throw ModelFormatError(.unsupported, "the document \(reason)", file: file)
        }
        let reader = XMLTreeReader(keepsText: keepsText)
        let parser = XMLParser(data: data)
        parser.shouldResolveExternalEntities = false
        parser.delegate = reader
        let succeeded = parser.parse()
        if let failure = reader.failure { throw file.map(failure.inFile) ?? failure }
        guard succeeded, let root = reader.root else {
            let reason = (parser.parserError as NSError?).map { " (XML error \($0.code))" } ?? ""
            throw ModelFormatError(
                .malformed, "the document is not well-formed XML\(reason)", file: file, line: max(1, parser.lineNumber),
                advice: "Restore the file from version control, or open and save it in Xcode")
        }
        return root
    }

    /// Returns the reason why a document must not reach the parser; nil if it may. Text that is not UTF-8 crashes Foundation's
    /// parser; entity declarations can expand exponentially; other declarations and processing instructions are not used by
    /// Xcode.
    private static func forbidden(_ data: Data) -> String? {
        guard let text = String(validUTF8: data) else { return "is not in UTF-8" }
        if let encoding = declaredEncoding(text), !["utf-8", "us-ascii", "ascii"].contains(encoding.lowercased()) {
            return "is in the encoding \(encoding), not in UTF-8"
        }
        if data.contains(0) { return "has zero bytes" }
        if data.range(of: Data("<!ENTITY".utf8)) != nil { return "declares XML entities" }
        for declaration in ["<!ELEMENT", "<!ATTLIST", "<!NOTATION"]
        where data.range(of: Data(declaration.utf8)) != nil {
            return "declares its own grammar"
        }
        let head = data.range(of: Data("<?xml ".utf8))?.upperBound ?? data.startIndex
        return data[head...].range(of: Data("<?".utf8)) == nil ? nil : "has processing instructions"
    }

    /// Returns the encoding that a document's XML declaration names; nil if it names none.
    private static func declaredEncoding(_ text: String) -> Substring? {
        let head = text.prefix(200)
        guard let start = head.range(of: "<?xml") else { return nil }
        let declaration = head[start.upperBound...].prefix { $0 != ">" }
        guard let name = declaration.range(of: "encoding") else { return nil }
        let assignment = declaration[name.upperBound...].drop(while: \.isWhitespace)
        guard assignment.first == "=" else { return nil }
        let value = assignment.dropFirst().drop(while: \.isWhitespace)
        guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
        let encoding = value.dropFirst().prefix { $0 != "\"" && $0 != "'" }
        return encoding.endIndex < declaration.endIndex ? encoding : nil
    }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName qName: String?,
        attributes attributeDict: [String: String]
    ) {
        guard open.count < Self.depthLimit else {
            failure = ModelFormatError(
                .limitExceeded, "elements are nested more than \(Self.depthLimit) deep", line: parser.lineNumber)
            return parser.abortParsing()
        }
        open.append(XMLElementNode(name: elementName, attributes: attributeDict, line: parser.lineNumber))
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        guard keepsText, !open.isEmpty else { return }
        open[open.count - 1].text += string
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName qName: String?
    ) {
        guard let element = open.popLast() else { return }
        if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
    }

    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) { errors.count(for: parser) }

    func parser(
        _ parser: XMLParser, foundInternalEntityDeclarationWithName name: String, value: String?
    ) {
        failure = ModelFormatError(.unsupported, "the document declares XML entities", line: parser.lineNumber)
        parser.abortParsing()
    }
}

/// Aborts parsing after many errors in a document. The parser continues after some errors, such as prefixes without a
/// namespace, and off Apple's platforms Foundation's leaks memory for each.
package struct XMLErrorLimit {
    private var rest = 100

    package init() {}

    package mutating func count(for parser: XMLParser) {
        rest -= 1
        if rest <= 0 { parser.abortParsing() }
    }
}
