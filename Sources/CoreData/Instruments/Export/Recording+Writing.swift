import Foundation

extension Instruments.Recording {
    /// The file format of a recording.
    public enum Export: String, Hashable, Sendable, CaseIterable {
        /// A JSON object with all events; see ``Instruments/Recording/json()``.
        case json
        /// The Trace Event Format of Perfetto and speedscope; see ``Instruments/Recording/traceEvents()``.
        case traceEvents
        /// The tables of ``Instruments/Recording/description`` as plain text.
        case table
    }

    /// Writes the recording to a file, which is replaced atomically when everything has been written: after an error the former
    /// file is unchanged. A device or a pipe is written to directly. Events are written one by one, so memory use is small.
    ///
    /// May be called on any thread.
    ///
    /// - Parameters:
    ///   - format: The format of the file.
    ///   - url: The file. Its folder must exist.
    /// - Throws: A `CocoaError` that names the file: `fileNoSuchFile` for a missing folder, `fileWriteNoPermission`,
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

    /// Writes a file in the caller's format, with the guarantees and errors of ``write(_:to:)``.
    package func write(to url: URL, _ body: (RecordingOutput) -> Void) throws { try RecordingFile(url).write(body) }
}
