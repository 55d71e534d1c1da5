import Foundation

extension Instruments.Recording {
    /// A form in which a recording can be written to a file.
    public enum Export: String, Hashable, Sendable, CaseIterable {
        /// All events as a JSON object; see ``Instruments/Recording/json()``.
        case json
        /// The Trace Event Format of Perfetto and speedscope; see ``Instruments/Recording/traceEvents()``.
        case traceEvents
        /// The tables of ``Instruments/Recording/description`` as plain text.
        case table
    }

    /// Writes the recording to a file, which is replaced at once when everything has been written: after a failure the former
    /// file is as it was. A device or a pipe is written to directly. Events are written one by one, so that it takes little memory
    /// besides the recording's.
    ///
    /// May be called on any thread.
    ///
    /// - Parameters:
    ///   - format: the form of the file.
    ///   - url: the file. Its folder must exist.
    /// - Throws: a `CocoaError` that names the file: `fileNoSuchFile` for a missing folder, `fileWriteNoPermission`,
    ///   `fileWriteVolumeReadOnly`, `fileWriteOutOfSpace`, `fileWriteInvalidFileName`, `fileWriteUnsupportedScheme`, or
    ///   `fileWriteUnknown` with the system's error as underlying error.
    public func write(_ format: Export, to url: URL) throws {
        try write(to: url) { output in
            var json = JSONWriter(to: output)
            switch format {
            case .json: writeJSON(to: &json)
            case .traceEvents: writeTraceEvents(to: &json)
            case .table: output.write(description + "\n")
            }
            json.finish()
        }
    }

    /// Writes a file in a form of the caller's, with the guarantees and errors of ``write(_:to:)``.
    package func write(to url: URL, _ body: (RecordingOutput) -> Void) throws { try RecordingFile(url).write(body) }
}
