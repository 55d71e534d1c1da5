import Foundation

/// The program `storetool`, independent of the process.
public enum StoreTool {}
