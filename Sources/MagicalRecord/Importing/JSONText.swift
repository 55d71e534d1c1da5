import Foundation

/// A position in a JSON text, for errors.
struct JSONPlace: CustomStringConvertible {
    /// The number of bytes before the position, of the whole text.
    private(set) var offset = 0
    /// The number of the line, from 1.
    private(set) var line = 1

    var description: String { "byte offset \(offset), line \(line)" }

    /// Advances the position.
    mutating func pass(_ bytes: Slice<UnsafeRawBufferPointer>) {
        offset += bytes.count
        for byte in bytes where byte == UInt8(ascii: "\n") { line += 1 }
    }

    func passing(_ bytes: Slice<UnsafeRawBufferPointer>) -> JSONPlace {
        var place = self
        place.pass(bytes)
        return place
    }

    /// Returns an error of MagicalRecord with this position in its message.
    func adding(to error: any Error) -> any Error {
        guard var error = error as? MagicalRecordError else { return error }
        error.message =
            "\(error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message), at \(self)."
        return error
    }
}

/// A part of a JSON text, with its position in the whole.
struct JSONText {
    let data: Data
    var place = JSONPlace()

    /// Returns the parsed value.
    ///
    /// - Parameter subject: the subject of the error's message.
    /// - Throws: ``MagicalRecordError/Code/malformedRecord`` with the position and the kind of the first syntax error.
    func parsed(_ subject: String) throws -> Any {
        do {
            return try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
        } catch {
            throw data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
                // Without a syntax error the text is invalid UTF-8, or nested too deeply for Foundation.
                guard let found = JSONSyntax(bytes).firstError() else {
                    return MagicalRecordError(
                        .malformedRecord, "\(subject) at \(place) is not valid JSON.", underlying: error)
                }
                let place = place.passing(bytes[..<found.offset])
                return MagicalRecordError(
                    .malformedRecord, "\(subject) is not valid JSON: \(found.reason) at \(place).", underlying: error)
            }
        }
    }
}
